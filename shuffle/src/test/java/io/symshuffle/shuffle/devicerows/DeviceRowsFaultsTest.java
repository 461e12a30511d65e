// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static io.symshuffle.shuffle.read.Reading.assertFetchFails;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.source;
import static io.symshuffle.shuffle.read.Reading.task;
import static io.symshuffle.shuffle.read.Reading.transferred;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.read.HostCursor;
import io.symshuffle.shuffle.read.LocalSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/**
 * Injects GPU failures, flipped bits and invalid indexes: fetches or tasks fail, but never return
 * wrong rows.
 */
class DeviceRowsFaultsTest extends DeviceRowsHarness {
  @Test
  void failsFetchOnFlippedBitInGpuMemory(Random random) throws IOException {
    write(1, 1, 1_000, 100, random);
    RunView run = find(1, 1).orElseThrow().rows().index().run(0);
    long at = run.place() + random.nextLong(run.bytes());
    ByteBuffer one = copyOut(1, at, 1);
    poke(1, at, (byte) (one.get(0) ^ (1 << random.nextInt(8))));
    String found = assertFetchFails(source(1, 1), () -> read(0, 0, PARTITIONS, 1, 1));
    assertTrue(found.matches("block of partition \\d+ has checksum .*"), found);
    assertTrue(rows[0].isUsable());
  }

  @Test
  void failsFetchOnInvalidRuns() throws IOException {
    commitRun(0, 65_540, 64);
    commitRun(1, 1 << 17, 2 * BUFFER_BYTES);
    for (int map = 0; map < 2; map++) {
      int wrong = map;
      assertFetchFails(source(1, map), () -> read(0, 0, PARTITIONS, 1, wrong));
    }
    assertTrue(rows[0].isUsable(), "a wrong index is not a GPU failure");
  }

  @Test
  void asksTheOwnerForRunsOutsideItsWindowAndItRefusesThem() throws IOException {
    commitRun(0, DEVICE_BYTES - 64, 128);
    commitRun(1, 1L << 40, 64);
    for (int map = 0; map < 2; map++) {
      assertEquals(
          Set.of((long) map), plan(0, 0, PARTITIONS, List.of(local(1, map))).remote(), "" + map);
      int wrong = map;
      String refused =
          assertThrows(IOException.class, () -> served(1, wrong).readAllBytes()).getMessage();
      assertTrue(refused.contains("no GPU memory for"), refused);
    }
    assertTrue(rows[0].isUsable(), "a wrong index is not a GPU failure");
  }

  private void commitRun(int map, long place, int bytes) throws IOException {
    RowOutputBuilder sink = owners[1].store.buildRows(id(map), PARTITIONS);
    sink.addDeviceRun(
        new Slab(place, 64),
        bytes,
        new BlockTable(1, new int[] {3}, new int[] {0, bytes / 8}, new int[] {0}));
    sink.commit();
  }

  @Test
  void fetchesThroughBlockTransferWithoutGpu(Random random) throws IOException {
    Records expected = write(1, 1, 4_000, 100, random);
    Records hostOnly = write(0, 2, 100, 100, random, true);
    List<LocalSource> sources = List.of(local(1, 1), local(0, 2));
    Plan plan = plan(0, Optional.empty(), 0, PARTITIONS, sources, true, new Metrics());
    assertEquals(List.of(), plan.reads().device());
    assertEquals(List.of(local(0, 2)), plan.reads().host());
    assertEquals(Set.of(1L), plan.remote());
    BlockCursor cursor =
        transferred(
            List.of(new Tuple2<>(batch(1), served(1, 1))), Map.of(1L, source(1, 1)), true, stats);
    drain(cursor).assertSameAs(expected);
    drain(plan.reads().hostCursor()).assertSameAs(hostOnly);
  }

  @Test
  void hostCursorFailsFetchOfRunInGpuMemory(Random random) throws IOException {
    write(1, 1, 100, 100, random);
    HostCursor cursor =
        new HostCursor(
            task(new MapOutputs(windows.heap(0)), 0, PARTITIONS, true, new Metrics(), stats),
            List.of(local(1, 1)));
    String found = assertFetchFails(source(1, 1), () -> drain(cursor));
    assertTrue(found.endsWith("a run is in GPU memory, which this task cannot read"), found);
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream_rc=719", "stream_rc=600"})
  void failsTaskAndStopsUsingGpuWhenItFailsDuringWrite(String fault, Random random)
      throws IOException {
    RowWriterAccess writer = writer(1, 1, PARTITIONS);
    FakeLibraries.script(folder.resolve("cuda-1"), fault);
    String message =
        assertThrows(
                IOException.class,
                () -> {
                  while (true) {
                    writer.append(random.nextInt(PARTITIONS), new byte[random.nextInt(100)]);
                  }
                })
            .getMessage();
    assertTrue(message.startsWith("the GPU failed to build a run of shuffle data: "), message);
    writer.abort();
    assertFalse(rows[1].isUsable());
    assertTrue(tiers[1].slabs().stats().usedBytes() > 0, "the GPU may still write to these slabs");
    assertEquals(0, owners[1].used());
    FakeLibraries.script(folder.resolve("cuda-1"));
    RowOutputBuilder sink = owners[1].store.buildRows(id(2), PARTITIONS);
    assertEquals(Optional.empty(), RowWriterAccess.open(rows[1], sink, PARTITIONS, true, stats));
    sink.abort();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream_rc=719", "stream_rc=600"})
  void failsFetchAndStopsUsingGpuWhenItFailsDuringRead(String fault, Random random)
      throws IOException {
    write(1, 1, 1_000, 100, random);
    write(0, 2, 1_000, 100, random);
    DeviceCursor cursor = cursor(0, List.of(local(1, 1)));
    FakeLibraries.script(folder.resolve("cuda-0"), fault);
    String found = assertFetchFails(source(1, 1), cursor::advance);
    assertTrue(found.startsWith("the GPU did not fetch its blocks: "), found);
    cursor.close();
    assertFalse(rows[0].isUsable());
    FakeLibraries.script(folder.resolve("cuda-0"));
    // From then on, blocks are fetched through block transfer, except this executor's own.
    assertEquals(Set.of(1L), plan(0, 0, PARTITIONS, List.of(local(1, 1))).remote());
    assertFetchFails(source(0, 2), () -> plan(0, 0, PARTITIONS, List.of(local(0, 2))));
  }

  @Test
  void copiesToPinnedMemoryOnly(Random random) throws IOException {
    FakeLibraries.script(folder.resolve("cuda-1"), "pinned_only");
    FakeLibraries.script(folder.resolve("cuda-0"), "pinned_only");
    Records expected = write(1, 1, 1_000, 100, random);
    read(0, 0, PARTITIONS, 1, 1).assertSameAs(expected);
  }

  @Test
  void leaksSlabThatUnfinishedRunMayStillWrite(Random random) throws IOException {
    RowWriterAccess late = writer(1, 1, PARTITIONS);
    FakeLibraries.script(folder.resolve("cuda-1"), "hold");
    late.append(0, new byte[100]);
    assertThrows(IOException.class, late::commit);
    late.abort();
    long leaked = tiers[1].slabs().stats().usedBytes();
    assertTrue(leaked > 0);
    FakeLibraries.script(folder.resolve("cuda-1"));
    rows[1].close();
    rows[1] = new DeviceRows(tiers[1], BUFFER_BYTES, GPU_LIMIT);
    Records expected = write(1, 2, 1_000, 100, random);
    read(0, 0, PARTITIONS, 1, 2).assertSameAs(expected);
  }

  @Test
  void reportsThatTheGpuMayStillReadBlocksAtTheEndOfTheTask(Random random) throws IOException {
    write(1, 1, 1_000, 100, random);
    Plan late = plan(0, 0, PARTITIONS, List.of(local(1, 1)));
    Plan punctual = plan(0, 0, PARTITIONS, List.of(local(1, 1)));
    assertTrue(late.reads().endReads(), "nothing was read");
    punctual.start(3 * BUFFER_BYTES);
    assertTrue(punctual.reads().endReads());
    FakeLibraries.script(folder.resolve("cuda-0"), "hold");
    DeviceCursor cursor = late.start(3 * BUFFER_BYTES);
    assertFalse(cursor.close());
    FakeLibraries.script(folder.resolve("cuda-0"));
    assertFalse(late.reads().endReads(), "the lease of this task ended although the GPU was late");
  }

  @Test
  void waitsForAllFetchesAsLongAsForOne(Random random) throws IOException {
    // So long that a busy machine does not make one wait as long as two.
    Duration limit = Duration.ofSeconds(2);
    rows[0] = new DeviceRows(tiers[0], BUFFER_BYTES, limit);
    write(1, 1, 2_000, 100, random);
    Plan late = plan(0, 0, PARTITIONS, List.of(local(1, 1)));
    FakeLibraries.script(folder.resolve("cuda-0"), "hold");
    DeviceCursor cursor = late.start(3 * BUFFER_BYTES);
    assertEquals(3, rows[0].buffersInUse());
    long start = System.nanoTime();
    assertFalse(cursor.close());
    Duration waited = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(waited.compareTo(limit.multipliedBy(2)) < 0, waited::toString);
  }

  @Test
  void usesHostHeapWhenBufferCannotBeAllocated() {
    DeviceRows large = new DeviceRows(tiers[1], 1 << 30, GPU_LIMIT);
    RowOutputBuilder sink = owners[1].store.buildRows(id(1), PARTITIONS);
    assertEquals(Optional.empty(), RowWriterAccess.open(large, sink, PARTITIONS, true, stats));
    assertTrue(large.isUsable());
    assertEquals(0, large.buffersInUse());
    sink.abort();
  }
}
