// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.zip.CRC32C;

/**
 * Compares runs that a GPU creates from random records with those of the CPU, byte by byte. Small
 * on a fake GPU.
 */
final class RowPartitionCheck {
  private final PeState state;
  private final Random random;
  private final int small;
  private final int large;

  RowPartitionCheck(PeState state) {
    this.state = state;
    this.random = new Random(state.seed * 31 + state.pe);
    boolean fake = state.setup == PeSetup.FAKE;
    this.small = fake ? 2_000 : 1 << 20;
    this.large = fake ? 16_000 : 12 << 20;
  }

  void run() throws Exception {
    for (int partitions : new int[] {1, 2, 200, 4_000, 100_000}) {
      check("narrow", partitions, small, () -> random.nextInt(40));
      check("wide", partitions, 4 * small, () -> 600 + random.nextInt(9_000));
      check(
          "mixed",
          partitions,
          small,
          () -> random.nextInt(50) == 0 ? random.nextInt(70_000) : random.nextInt(200));
    }
    check("empty", 300, small / 4, () -> 0);
    check("narrow of many partitions", 1 << 24, small, () -> 16);
    check("large and narrow", 200, large, () -> 56);
    check("large and mixed", 4_000, large, () -> 100 + random.nextInt(300));
    check("giant", 7, 8, () -> large - 12);
    checkDamage();
    checkRefusals();
  }

  /** Records and group starts, as a writer of rows produces them. */
  private static final class Staging {
    private ByteBuffer bytes = ByteBuffer.allocate(1 << 12).order(ByteOrder.LITTLE_ENDIAN);
    private final List<Integer> groupStarts = new ArrayList<>();
    private final Map<Integer, List<int[]>> records = new TreeMap<>();
    private int count;

    void add(Random random, int partition, int length) {
      int size = 8 + ((length + 7) & -8);
      if (size > bytes.remaining()) {
        int needed = bytes.position() + size;
        ByteBuffer larger = ByteBuffer.allocate(Math.max(2 * bytes.capacity(), needed));
        bytes = larger.order(ByteOrder.LITTLE_ENDIAN).put(bytes.flip());
      }
      int start = bytes.position();
      if (count++ % RowPartitionPlan.GROUP_RECORDS == 0) {
        groupStarts.add(start / 8);
      }
      records.computeIfAbsent(partition, p -> new ArrayList<>()).add(new int[] {start, size});
      bytes.putInt(length).putInt(partition);
      while (bytes.position() < start + size) {
        bytes.putLong(random.nextLong());
      }
    }

    byte[] content() {
      return Arrays.copyOf(bytes.array(), bytes.position());
    }

    byte[] starts() {
      ByteBuffer list =
          ByteBuffer.allocate(Integer.BYTES * groupStarts.size()).order(ByteOrder.LITTLE_ENDIAN);
      groupStarts.forEach(list::putInt);
      return list.array();
    }
  }

  private Staging staging(int partitions, int bytes, IntSupplier length) {
    Staging staging = new Staging();
    int favourite = random.nextInt(partitions);
    do {
      int partition = random.nextInt(4) == 0 ? favourite : random.nextInt(partitions);
      staging.add(random, partition, length.getAsInt());
    } while (staging.bytes.position() < bytes);
    return staging;
  }

  private void check(String kind, int partitions, int bytes, IntSupplier length) throws Exception {
    Staging staging = staging(partitions, bytes, length);
    String what = "%s, %d partitions, %d records".formatted(kind, partitions, staging.count);
    byte[] content = staging.content();
    byte[] expectedRun = new byte[content.length];
    int blocks = staging.records.size();
    int[] expectedPartitions = new int[blocks];
    int[] expectedStarts = new int[blocks + 1];
    int[] expectedChecksums = new int[blocks];
    int at = 0;
    int block = 0;
    for (Map.Entry<Integer, List<int[]>> entry : staging.records.entrySet()) {
      int start = at;
      for (int[] piece : entry.getValue()) {
        System.arraycopy(content, piece[0], expectedRun, at, piece[1]);
        at += piece[1];
      }
      CRC32C crc = new CRC32C();
      crc.update(expectedRun, start, at - start);
      expectedPartitions[block] = entry.getKey();
      expectedStarts[block] = start / 8;
      expectedChecksums[block] = (int) crc.getValue();
      block++;
    }
    expectedStarts[blocks] = at / 8;
    try (OnGpu gpu = new OnGpu(staging, partitions, true)) {
      for (int round = 0; round < 2; round++) {
        gpu.work.queue(state.stream);
        RowPartition.Blocks got = gpu.work.await(state.stream, PeState.LIMIT);
        assertEquals(blocks, got.count(), what);
        assertArrayEquals(expectedPartitions, got.partitions(), what);
        assertArrayEquals(expectedStarts, got.starts(), what);
        assertArrayEquals(expectedChecksums, got.checksums(), what);
        byte[] run = state.read(gpu.run);
        assertEquals(-1, Arrays.mismatch(expectedRun, run), what + ": first wrong byte");
        state.fill(gpu.run, (byte) round);
      }
    }
  }

  /** A staging buffer on the GPU and its row partition. */
  private final class OnGpu implements AutoCloseable {
    private final DeviceBuffer memory;
    final DeviceRange staging;
    final DeviceRange run;
    final RowPartition work;

    OnGpu(Staging records, int partitions, boolean checksums) throws Exception {
      CudaContext context = state.runtime.context();
      byte[] content = records.content();
      byte[] starts = records.starts();
      RowPartitionPlan plan =
          RowPartitionPlan.of(
              state.kernels.multiprocessors(), content.length, records.count, partitions);
      long stride = (content.length + 255L) & -256L;
      long startsAt = 2 * stride;
      long temporaryAt = startsAt + ((starts.length + 255L) & -256L);
      memory = context.allocate(temporaryAt + plan.temporaryBytes());
      try {
        staging = memory.range().slice(0, content.length);
        run = memory.range().slice(stride, content.length);
        DeviceRange groupStarts = memory.range().slice(startsAt, starts.length);
        DeviceRange temporary = memory.range().slice(temporaryAt, plan.temporaryBytes());
        state.write(staging, content);
        state.write(groupStarts, starts);
        state.fill(temporary, (byte) random.nextInt());
        work =
            state.kernels.rowPartition(
                plan, new RowPartition.Memory(staging, groupStarts, run, temporary), checksums);
      } catch (RuntimeException | Error e) {
        memory.close();
        throw e;
      }
    }

    @Override
    public void close() {
      work.close();
      memory.close();
    }
  }

  /** A damaged header is reported with its offset; once restored, staging becomes a run. */
  private void checkDamage() throws Exception {
    Staging staging = staging(50, small, () -> 24);
    int record = random.nextInt(staging.count);
    try (OnGpu gpu = new OnGpu(staging, 50, false)) {
      DeviceRange header = gpu.staging.slice(32L * record, 8);
      byte[] good = state.read(header);
      byte[] bad = good.clone();
      ByteBuffer.wrap(bad).order(ByteOrder.LITTLE_ENDIAN).putInt(4, 50);
      state.write(header, bad);
      gpu.work.queue(state.stream);
      String message =
          assertThrows(KernelException.class, () -> gpu.work.await(state.stream, PeState.LIMIT))
              .getMessage();
      assertTrue(
          message.startsWith("the row partition of PE ")
              && message.contains(
                  "found a damaged record at byte %d of staging: length 24, partition 50, with %d bytes left and 50 partitions"
                      .formatted(32 * record, 32 * (staging.count - record))),
          message);
      state.write(header, good);
      gpu.work.queue(state.stream);
      RowPartition.Blocks blocks = gpu.work.await(state.stream, PeState.LIMIT);
      assertEquals(staging.records.size(), blocks.count());
      assertArrayEquals(new int[blocks.count()], blocks.checksums());
    }
  }

  /** Memory that does not match the plan is refused before a launch. */
  private void checkRefusals() {
    RowPartitionPlan plan = RowPartitionPlan.of(state.kernels.multiprocessors(), 4_096, 100, 10);
    DeviceRange staging = state.local(0, 4_096);
    DeviceRange starts = state.local(8_192, plan.groupStartsBytes());
    DeviceRange run = state.local(4_096, 4_096);
    DeviceRange temporary = state.local(1 << 20, plan.temporaryBytes());
    state.kernels.rowPartition(plan, memory(staging, starts, run, temporary), true).close();
    for (RowPartition.Memory wrong :
        List.of(
            memory(state.local(0, 4_088), starts, run, temporary),
            memory(state.local(8, 4_096), starts, run, temporary),
            memory(staging, state.local(8_192, plan.groupStartsBytes() - 4), run, temporary),
            memory(staging, starts, state.local(16_392, 4_096), temporary),
            memory(staging, starts, staging, temporary),
            memory(staging, starts, run, state.local(1 << 20, plan.temporaryBytes() - 1)),
            memory(staging, starts, run, state.local(4_096, plan.temporaryBytes())),
            memory(staging, starts, run, state.local((1 << 20) + 64, plan.temporaryBytes())))) {
      assertThrows(
          IllegalArgumentException.class, () -> state.kernels.rowPartition(plan, wrong, true));
    }
  }

  private static RowPartition.Memory memory(
      DeviceRange staging, DeviceRange starts, DeviceRange run, DeviceRange temporary) {
    return new RowPartition.Memory(staging, starts, run, temporary);
  }
}
