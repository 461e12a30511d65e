// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** Steps of the other kernels. */
final class KernelSteps {
  private KernelSteps() {}

  /** Checksums of pieces, own and others'. */
  static void crc32cOfPieces(PeState s) throws Exception {
    int bytes = 4 << 20;
    s.write(s.local(0, bytes), s.content(s.pe, bytes));
    s.barrier();
    Random random = new Random(s.seed + s.pe);
    List<DeviceRange> pieces = new ArrayList<>();
    List<Integer> expected = new ArrayList<>();
    byte[][] contents = new byte[s.peCount][];
    for (int pe = 0; pe < s.peCount; pe++) {
      contents[pe] = s.content(pe, bytes);
    }
    for (int i = 0; i < 64; i++) {
      int pe = random.nextInt(s.peCount);
      int length = i == 0 ? 0 : 1 + random.nextInt(i % 8 == 0 ? bytes / 2 : 5000);
      int offset = random.nextInt(bytes - length);
      pieces.add(length == 0 ? new DeviceRange(0, 0) : s.peer(pe, offset, length));
      CRC32C crc = new CRC32C();
      crc.update(contents[pe], offset, length);
      expected.add((int) crc.getValue());
    }
    try (CrcLaunch launch = s.kernels.crc32c(pieces)) {
      for (int round = 0; round < 2; round++) {
        launch.queue(s.stream);
        assertArrayEquals(
            expected.stream().mapToInt(Integer::intValue).toArray(),
            launch.results(s.stream, PeState.LIMIT));
      }
    }
    s.barrier();
  }

  /** Records of all kinds become runs, as on the CPU. */
  static void rowPartition(PeState s) throws Exception {
    new RowPartitionCheck(s).run();
    s.barrier();
  }

  /** Every type and operation, over all PEs' buffers, into the own one and into all. */
  static void reduce(PeState s) throws Exception {
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
            s.kernels
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
            s.kernels.collectives().reduce(type, operation, all, outputs, from, to - from)) {
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
            s.kernels
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

  /** The root writes an odd piece to all; barriers and signals between PEs are kernels. */
  static void broadcastAndBarriers(PeState s) throws Exception {
    int bytes = 1_000_003;
    long arrays = 12L << 20;
    long flags = arrays + 4096;
    s.fill(s.local(arrays, 8192), (byte) 0);
    s.fill(s.local(0, 4 << 20), (byte) 0);
    s.barrier();
    List<DeviceRange> arrivals =
        IntStream.range(0, s.peCount).mapToObj(pe -> s.peer(pe, arrays, 8L * s.peCount)).toList();
    try (BarrierLaunch barrier =
        s.kernels.collectives().barrier(arrivals, Duration.ofSeconds(20))) {
      for (int round = 0; round < 5; round++) {
        int root = round % s.peCount;
        byte[] content = s.content(root + round, bytes);
        if (s.pe == root) {
          s.write(s.local((8 << 20) + 5, bytes), content);
          List<DeviceRange> destinations =
              IntStream.range(0, s.peCount).mapToObj(pe -> s.peer(pe, 3, bytes)).toList();
          try (KernelLaunch launch =
              s.kernels.collectives().broadcast(s.local((8 << 20) + 5, bytes), destinations)) {
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
            s.kernels
                .collectives()
                .signal(List.of(new Signal(s.peer(next, flags, 8).address(), 9, next)));
        KernelLaunch wait =
            s.kernels
                .collectives()
                .await(
                    List.of(new Signal(s.local(flags, 8).address(), 9, before)),
                    Duration.ofSeconds(20));
        KernelLaunch never =
            s.kernels
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
          message.contains("PE " + before + " did not come") && message.contains("is 9, and 10"),
          message);
    }
    s.barrier();
  }
}
