// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceBytes;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedBuffer;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All-reduces of PEs in one process, which share a GPU: each has its memory and a stream. */
abstract class AllReduceSuite {
  static final Duration LIMIT = Duration.ofSeconds(30);

  private final Random random = new Random(Long.getLong("symshuffle.seed", 1));
  CudaContext context;
  Kernels kernels;
  private PinnedBuffer stop;
  private final List<DeviceBuffer> memories = new ArrayList<>();
  final List<CudaStream> streams = new ArrayList<>();
  private long launches;

  /** Opens the driver, or skips the test. */
  abstract CudaDriver driver();

  /** Elements of the random data. */
  abstract int elements();

  @BeforeEach
  final void start() {
    context = driver().device(0).openPrimaryContext();
    kernels = Kernels.load(context, KernelImage.find(), 0);
    stop = context.allocatePinned(Long.BYTES);
    stop.memory().fill((byte) 0);
  }

  @AfterEach
  final void end() {
    if (context != null) {
      kernels.close(LIMIT);
      memories.forEach(DeviceBuffer::close);
      streams.forEach(CudaStream::close);
      stop.close();
      context.close();
    }
  }

  /** Adds PEs with memory that is zero. */
  final void addPes(int count, long bytes) {
    for (int pe = 0; pe < count; pe++) {
      CudaStream stream = context.newStream();
      streams.add(stream);
      memories.add(context.allocate(AllReduce.CONTROL_BYTES + bytes));
      stream.fill(memories.getLast().range(), (byte) 0);
      stream.synchronize();
    }
  }

  private DeviceRange data(int pe) {
    DeviceRange all = memories.get(pe).range();
    return all.slice(AllReduce.CONTROL_BYTES, all.bytes() - AllReduce.CONTROL_BYTES);
  }

  /** Prepares launches of some PEs for the same all-reduce. */
  final List<AllReduceLaunch> launches(
      List<Integer> pes,
      AllReduce.Type type,
      AllReduce.Operation operation,
      long offset,
      long count,
      boolean oneShot,
      Duration limit) {
    launches++;
    List<Long> addresses = memories.stream().map(each -> each.range().address()).toList();
    int ctas = Math.max(1, kernels.allReduceCtas() / memories.size());
    return pes.stream()
        .map(
            pe ->
                kernels.allReduce(
                    new AllReduce(
                        addresses,
                        pe,
                        type,
                        operation,
                        AllReduce.CONTROL_BYTES + offset,
                        count,
                        launches,
                        oneShot,
                        ctas,
                        stop.range().address(),
                        limit.toNanos())))
        .toList();
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void allPesHaveTheSumsOfALoop(int pes) throws Exception {
    int count = elements();
    int offset = 3 * Float.BYTES;
    addPes(pes, offset + (long) count * Float.BYTES + 64);
    for (boolean oneShot : new boolean[] {true, false}) {
      byte[][] before = new byte[pes][(int) data(0).bytes()];
      byte[] expected = null;
      for (int pe = 0; pe < pes; pe++) {
        fill(before[pe]);
        DeviceBytes.write(streams.get(pe), data(pe), before[pe]);
        expected = pe == 0 ? before[0].clone() : add(expected, before[pe], offset, count);
      }
      run(
          launches(
              LongStream.range(0, pes).mapToObj(pe -> (int) pe).toList(),
              AllReduce.Type.FLOAT,
              AllReduce.Operation.SUM,
              offset,
              count,
              oneShot,
              LIMIT));
      for (int pe = 0; pe < pes; pe++) {
        byte[] wanted = before[pe];
        System.arraycopy(expected, offset, wanted, offset, count * Float.BYTES);
        assertArrayEquals(
            wanted, DeviceBytes.read(streams.get(pe), data(pe)), "PE " + pe + ", " + oneShot);
      }
    }
  }

  final void run(List<AllReduceLaunch> launches) throws Exception {
    for (int pe = 0; pe < launches.size(); pe++) {
      launches.get(pe).queueWithResults(streams.get(pe));
    }
    for (int pe = 0; pe < launches.size(); pe++) {
      streams.get(pe).synchronize(LIMIT);
      launches.get(pe).check();
      launches.get(pe).close();
    }
  }

  private void fill(byte[] bytes) {
    MemorySegment values = MemorySegment.ofArray(bytes);
    for (long at = 0; at < bytes.length; at += Float.BYTES) {
      values.set(JAVA_FLOAT_UNALIGNED, at, random.nextFloat() - 0.5f);
    }
  }

  private static byte[] add(byte[] sums, byte[] more, long offset, int count) {
    MemorySegment left = MemorySegment.ofArray(sums);
    MemorySegment right = MemorySegment.ofArray(more);
    for (long at = offset; at < offset + (long) count * Float.BYTES; at += Float.BYTES) {
      float sum = left.get(JAVA_FLOAT_UNALIGNED, at) + right.get(JAVA_FLOAT_UNALIGNED, at);
      left.set(JAVA_FLOAT_UNALIGNED, at, sum);
    }
    return sums;
  }

  /** One kernel at a time, as under a tool that checks its memory accesses. */
  @ParameterizedTest(name = "one shot: {0}")
  @ValueSource(booleans = {true, false})
  void peReadsAnotherOneThatHasArrivedBefore(boolean oneShot) throws Exception {
    int count = elements() / 2;
    // The buffers end with the last element.
    addPes(2, Long.BYTES + (long) count * Long.BYTES);
    byte[] ones = new byte[(int) data(0).bytes()];
    MemorySegment values = MemorySegment.ofArray(ones);
    for (long at = 0; at < ones.length; at += Long.BYTES) {
      values.set(JAVA_LONG_UNALIGNED, at, 1L << 40);
    }
    DeviceBytes.write(streams.get(0), data(0), ones);
    DeviceBytes.write(streams.get(1), data(1), ones);
    streams.get(1).fill(memories.get(1).range().slice(0, AllReduce.CONTROL_BYTES), (byte) 0x7f);
    streams.get(1).synchronize();
    run(
        launches(
            List.of(0),
            AllReduce.Type.LONG,
            AllReduce.Operation.SUM,
            Long.BYTES,
            count,
            oneShot,
            LIMIT));
    MemorySegment result = MemorySegment.ofArray(DeviceBytes.read(streams.get(0), data(0)));
    assertEquals(1L << 40, result.get(JAVA_LONG_UNALIGNED, 0));
    // In two shots the other PE, which does not run, would have reduced the second half.
    int granules = Math.ceilDiv(count * Long.BYTES + Long.BYTES, 16);
    int part = Math.ceilDiv(Math.ceilDiv(granules, 2), 8) * 8 * 2 - 1;
    for (int i = 0; i < count; i++) {
      assertEquals(
          oneShot || i < part ? 2L << 40 : 1L << 40,
          result.get(JAVA_LONG_UNALIGNED, (i + 1L) * Long.BYTES),
          "element " + i);
    }
  }

  @Test
  void waitEndsAfterItsLimit() {
    addPes(3, 400);
    List<AllReduceLaunch> all =
        launches(
            List.of(0),
            AllReduce.Type.INT,
            AllReduce.Operation.MAX,
            0,
            100,
            true,
            Duration.ofMillis(300));
    assertEnds(all.getFirst());
  }

  @Test
  void hostEndsWaits() {
    addPes(2, 400);
    List<AllReduceLaunch> all =
        launches(List.of(0), AllReduce.Type.INT, AllReduce.Operation.MAX, 0, 100, false, LIMIT);
    long start = System.nanoTime();
    all.getFirst().queueWithResults(streams.getFirst());
    stop.memory().fill((byte) 1);
    assertEnds(all.getFirst());
    assertTrue(System.nanoTime() - start < LIMIT.toNanos() / 2);
  }

  private void assertEnds(AllReduceLaunch launch) {
    String message = assertThrows(KernelException.class, () -> run(List.of(launch))).getMessage();
    assertTrue(message.contains("symshuffle_all_reduce of PE 0 stopped waiting for PE"), message);
    assertTrue(launch.latePe().getAsInt() > 0, launch.latePe()::toString);
    launch.close();
  }
}
