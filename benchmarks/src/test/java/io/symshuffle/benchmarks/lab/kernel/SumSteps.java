// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.KernelException;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.PeState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Steps that sum floats over PEs. */
final class SumSteps {
  private static final long COUNTERS = 12 << 20;
  private static final long OUTPUT = 6 << 20;

  private SumSteps() {}

  /**
   * Sums new data several times, so that a barrier that ends early would leave old data in a sum.
   */
  static void sum(KernelPe p) throws Exception {
    PeState s = p.state;
    Random random = new Random(s.seed);
    s.fill(s.local(COUNTERS, 8), (byte) 0);
    s.barrier();
    try (BarrierLaunch barrier =
        p.kernels.reductions().barrier(counters(s, COUNTERS), PeState.LIMIT)) {
      for (int round = 0; round < 6; round++) {
        int bytes = 16 * (round == 0 ? 1 : 1 + random.nextInt(20_000));
        s.write(s.local(0, bytes), floats(s.seed + round, s.pe, bytes));
        try (KernelLaunch sum =
            p.kernels.reductions().sum(peers(s, 0, bytes), s.local(OUTPUT, bytes))) {
          barrier.queue(s.stream);
          sum.queue(s.stream);
          barrier.queue(s.stream);
          sum.await(s.stream, PeState.LIMIT);
          barrier.await(s.stream, PeState.LIMIT);
        }
        byte[] expected = floats(s.seed + round, 0, bytes);
        ByteBuffer sums = buffer(expected);
        for (int pe = 1; pe < s.peCount; pe++) {
          ByteBuffer next = buffer(floats(s.seed + round, pe, bytes));
          for (int at = 0; at < bytes; at += Float.BYTES) {
            sums.putFloat(at, sums.getFloat(at) + next.getFloat(at));
          }
        }
        assertArrayEquals(expected, s.read(s.local(OUTPUT, bytes)), "round " + round);
      }
    }
    refuses(p);
    s.barrier();
  }

  private static void refuses(KernelPe p) {
    PeState s = p.state;
    Reductions reductions = p.kernels.reductions();
    assertThrows(
        IllegalArgumentException.class,
        () -> reductions.sum(List.of(s.local(0, 32)), s.local(OUTPUT, 16)));
    assertThrows(
        IllegalArgumentException.class,
        () -> reductions.sum(List.of(s.local(4, 16)), s.local(OUTPUT, 16)));
    assertThrows(
        IllegalArgumentException.class, () -> reductions.sum(List.of(), s.local(OUTPUT, 16)));
    assertThrows(
        IllegalArgumentException.class,
        () -> reductions.barrier(List.of(s.local(0, 16)), PeState.LIMIT));
  }

  /** PE 0 does not come; the others say so. */
  static void missingPe(KernelPe p) throws Exception {
    PeState s = p.state;
    s.fill(s.local(COUNTERS, 8), (byte) 0);
    s.barrier();
    if (s.pe != 0) {
      try (BarrierLaunch barrier =
          p.kernels.reductions().barrier(counters(s, COUNTERS), Duration.ofMillis(30))) {
        barrier.queue(s.stream);
        String message =
            assertThrows(KernelException.class, () -> barrier.await(s.stream, PeState.LIMIT))
                .getMessage();
        assertTrue(
            message.contains("waiting for PE 0 (") && message.contains("is 0, expected 1"),
            message);
      }
    }
    s.barrier();
  }

  private static List<DeviceRange> counters(PeState s, long offset) {
    return peers(s, offset, Long.BYTES);
  }

  private static List<DeviceRange> peers(PeState s, long offset, long bytes) {
    return IntStream.range(0, s.peCount).mapToObj(pe -> s.peer(pe, offset, bytes)).toList();
  }

  private static byte[] floats(long seed, int pe, int bytes) {
    Random random = new Random(seed * 31 + pe);
    byte[] content = new byte[bytes];
    ByteBuffer floats = buffer(content);
    while (floats.hasRemaining()) {
      floats.putFloat((float) (random.nextGaussian() * 1000));
    }
    return content;
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }
}
