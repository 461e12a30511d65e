// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.KernelException;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.PeState;
import io.symshuffle.kernel.UnsupportedKernelException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Steps of the collectives. */
final class CollectiveSteps {
  private CollectiveSteps() {}

  /** Reduces all PEs' buffers into this PE's and into all, for every type and operation. */
  static void reduce(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    int count = 10_007;
    for (ElementType type : ElementType.values()) {
      byte[][] inputs = new byte[s.peCount][];
      for (int pe = 0; pe < s.peCount; pe++) {
        inputs[pe] = elements(s, type, pe, count);
      }
      s.write(s.local(0, inputs[s.pe].length), inputs[s.pe]);
      for (ReduceOperation operation : ReduceOperation.values()) {
        long out = 4L << 20;
        int bytes = inputs[0].length;
        s.fill(s.local(out, bytes), (byte) 1);
        s.barrier();
        List<DeviceRange> all =
            IntStream.range(0, s.peCount).mapToObj(pe -> s.peer(pe, 0, bytes)).toList();
        try (KernelLaunch launch =
            p.kernels
                .collectives()
                .reduce(type, operation, all, List.of(s.local(out, bytes)), 0, count)) {
          launch.queue(s.stream);
          launch.await(s.stream, PeState.LIMIT);
        }
        byte[] expected = Reference.reduce(type, operation, inputs);
        assertArrayEquals(expected, s.read(s.local(out, bytes)), type + " " + operation);
        s.barrier();
        s.fill(s.local(out, bytes), (byte) 1);
        s.barrier();
        long from = (long) count * s.pe / s.peCount;
        long to = (long) count * (s.pe + 1) / s.peCount;
        List<DeviceRange> outputs =
            IntStream.range(0, s.peCount).mapToObj(pe -> s.peer(pe, out, bytes)).toList();
        try (KernelLaunch launch =
            p.kernels.collectives().reduce(type, operation, all, outputs, from, to - from)) {
          launch.queue(s.stream);
          launch.await(s.stream, PeState.LIMIT);
        }
        s.barrier();
        assertArrayEquals(
            expected, s.read(s.local(out, bytes)), type + " " + operation + " in two steps");
        s.barrier();
      }
    }
    assertThrows(UnsupportedKernelException.class, () -> ElementType.of(ValueLayout.JAVA_SHORT));
    assertThrows(
        UnsupportedKernelException.class,
        () ->
            p.kernels
                .multimem()
                .reduce(
                    ElementType.F64,
                    ReduceOperation.MIN,
                    s.local(0, 64),
                    s.local(64, 64),
                    false,
                    0,
                    8));
  }

  private static byte[] elements(PeState s, ElementType type, int pe, int count) {
    Random random = s.random(pe);
    ByteBuffer bytes = ByteBuffer.allocate(count * type.bytes()).order(ByteOrder.nativeOrder());
    for (int i = 0; i < count; i++) {
      switch (type) {
        case I32 -> bytes.putInt(random.nextInt());
        case I64 -> bytes.putLong(random.nextLong());
        case F32 -> bytes.putFloat(random.nextFloat() * 1000 - 500);
        case F64 -> bytes.putDouble(random.nextDouble() * 1000 - 500);
      }
    }
    return bytes.array();
  }

  /** Broadcasts a piece of odd length, with barriers and signals by kernels. */
  static void broadcastAndBarriers(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    int bytes = 1_000_003;
    long arrays = 12L << 20;
    long flags = arrays + 4096;
    s.fill(s.local(arrays, 8192), (byte) 0);
    s.fill(s.local(0, 4 << 20), (byte) 0);
    s.barrier();
    List<DeviceRange> arrivals =
        IntStream.range(0, s.peCount).mapToObj(pe -> s.peer(pe, arrays, 8L * s.peCount)).toList();
    try (BarrierLaunch barrier =
        p.kernels.collectives().barrier(arrivals, Duration.ofSeconds(20))) {
      for (int round = 0; round < 5; round++) {
        int root = round % s.peCount;
        byte[] content = s.content(root + round, bytes);
        if (s.pe == root) {
          s.write(s.local((8 << 20) + 5, bytes), content);
          List<DeviceRange> destinations =
              IntStream.range(0, s.peCount).mapToObj(pe -> s.peer(pe, 3, bytes)).toList();
          try (KernelLaunch launch =
              p.kernels.collectives().broadcast(s.local((8 << 20) + 5, bytes), destinations)) {
            launch.queue(s.stream);
            launch.await(s.stream, PeState.LIMIT);
          }
        }
        barrier.queue(s.stream);
        barrier.await(s.stream, PeState.LIMIT);
        assertArrayEquals(content, s.read(s.local(3, bytes)), "round " + round);
        barrier.queue(s.stream);
        barrier.await(s.stream, PeState.LIMIT);
      }
    }
    int next = (s.pe + 1) % s.peCount;
    int before = (s.pe + s.peCount - 1) % s.peCount;
    try (KernelLaunch signal =
            p.kernels
                .collectives()
                .signal(List.of(new Signal(s.peer(next, flags, 8).address(), 9, next)));
        KernelLaunch wait =
            p.kernels
                .collectives()
                .await(
                    List.of(new Signal(s.local(flags, 8).address(), 9, before)),
                    Duration.ofSeconds(20));
        KernelLaunch never =
            p.kernels
                .collectives()
                .await(
                    List.of(new Signal(s.local(flags, 8).address(), 10, before)),
                    Duration.ofMillis(30))) {
      signal.queue(s.stream);
      wait.queue(s.stream);
      wait.await(s.stream, PeState.LIMIT);
      never.queue(s.stream);
      String message =
          assertThrows(KernelException.class, () -> never.await(s.stream, PeState.LIMIT))
              .getMessage();
      assertTrue(
          message.contains("waiting for PE " + before + " (")
              && message.contains("is 9, expected 10"),
          message);
    }
    s.barrier();
  }
}
