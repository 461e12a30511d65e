// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.benchmarks.nvshmem.SignalComparison;
import io.symshuffle.benchmarks.nvshmem.SignalOperation;
import io.symshuffle.benchmarks.nvshmem.SignalWait;
import io.symshuffle.benchmarks.nvshmem.Team;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.PeState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.TimeoutException;

/** Steps that use NVSHMEM. */
final class NvshmemSteps {
  private NvshmemSteps() {}

  /** Puts 8 integers to the next PE. */
  static void ring(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    s.barrier();
    int next = (s.pe + 1) % s.peCount;
    int before = (s.pe + s.peCount - 1) % s.peCount;
    s.write(s.local(0, 32), ints(s, s.pe));
    s.barrier();
    p.extras()
        .run("a put", PeState.LIMIT, calls -> calls.put(s.local(64, 32), s.local(0, 32), next));
    s.barrier();
    assertArrayEquals(ints(s, before), s.read(s.local(64, 32)));
    s.barrier();
  }

  private static byte[] ints(PeState s, int pe) {
    ByteBuffer bytes = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder());
    s.random(pe).ints(8).forEach(bytes::putInt);
    return bytes.array();
  }

  /** Uses the predefined teams and a team of every second PE. */
  static void teams(BenchmarkPe p) {
    PeState s = p.state;
    Team world = p.team(Team.Predefined.WORLD);
    assertEquals(s.peCount, world.size());
    assertEquals(s.pe, world.myPe());
    assertEquals(s.peCount, p.team(Team.Predefined.SHARED).size());
    assertEquals(s.peCount, p.team(Team.Predefined.NODE).size());
    int size = (s.peCount + 1) / 2;
    Team even =
        p.extras()
            .call("a split", PeState.LIMIT, calls -> calls.splitStrided(world, 0, 2, size))
            .orElse(null);
    assertEquals(s.pe % 2 == 0, even != null);
    if (even != null) {
      assertEquals(size, even.size());
      assertEquals(s.pe / 2, even.myPe());
      assertEquals(OptionalInt.of(2 * (size - 1)), even.translate(size - 1, world));
      assertEquals(OptionalInt.of(0), world.translate(0, even));
      if (s.peCount > 1) {
        assertEquals(OptionalInt.empty(), world.translate(1, even));
      }
      p.extras().run("a barrier", PeState.LIMIT, calls -> calls.barrier(even));
      p.extras().run("a destruction", PeState.LIMIT, calls -> calls.destroy(even));
      assertThrows(
          IllegalStateException.class,
          () -> p.extras().run("a barrier", PeState.LIMIT, calls -> calls.barrier(even)));
    }
    String message =
        assertThrows(
                IllegalStateException.class,
                () -> p.extras().run("a destruction", PeState.LIMIT, calls -> calls.destroy(world)))
            .getMessage();
    assertEquals("team WORLD is predefined and cannot be destroyed", message);
    assertThrows(
        IllegalArgumentException.class,
        () ->
            p.extras()
                .run(
                    "a split",
                    PeState.LIMIT,
                    calls -> calls.splitStrided(world, 0, 1, s.peCount + 1)));
    s.barrier();
  }

  /** Puts and gets ranges of all sizes, each PE in its own stripe of every other PE's buffer. */
  static void putAndGet(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    long half = PeState.BUFFER_BYTES / 2;
    int stripe = (int) (half / s.peCount) & -4096;
    byte[] mine = s.content(s.pe, stripe);
    s.write(s.local(half, stripe), mine);
    s.fill(s.local(0, half), (byte) 0);
    s.barrier();
    for (int pe = 0; pe < s.peCount; pe++) {
      for (Slice slice : slices(s, stripe, s.pe, pe)) {
        DeviceRange to = s.local((long) s.pe * stripe + slice.offset, slice.bytes);
        DeviceRange from = s.local(half + slice.offset, slice.bytes);
        int target = pe;
        p.extras()
            .run(
                "a put",
                PeState.LIMIT,
                calls -> {
                  switch (slice.kind) {
                    case 0 -> calls.put(to, from, target);
                    case 1 -> calls.putNonBlocking(to, from, target);
                    case 2 -> calls.put(to, from, target, s.stream);
                    default -> calls.putNonBlocking(to, from, target, s.stream);
                  }
                });
      }
    }
    p.extras()
        .run(
            "quiet",
            PeState.LIMIT,
            calls -> {
              calls.fence();
              calls.quiet(s.stream);
              calls.quiet();
            });
    s.stream.synchronize(PeState.LIMIT);
    s.barrier();
    for (int pe = 0; pe < s.peCount; pe++) {
      byte[] expected = new byte[stripe];
      byte[] theirs = s.content(pe, stripe);
      for (Slice slice : slices(s, stripe, pe, s.pe)) {
        System.arraycopy(theirs, slice.offset, expected, slice.offset, slice.bytes);
      }
      assertArrayEquals(expected, s.read(s.local((long) pe * stripe, stripe)), "from PE " + pe);
    }
    s.barrier();
    for (int pe = 0; pe < s.peCount; pe++) {
      byte[] theirs = s.content(pe, stripe);
      for (Slice slice : slices(s, stripe, s.pe, pe)) {
        DeviceRange to = s.local(slice.offset, slice.bytes);
        DeviceRange from = s.local(half + slice.offset, slice.bytes);
        int source = pe;
        p.extras()
            .run(
                "a get",
                PeState.LIMIT,
                calls -> {
                  switch (slice.kind) {
                    case 0 -> calls.get(to, from, source);
                    case 1 -> {
                      calls.getNonBlocking(to, from, source);
                      calls.quiet();
                    }
                    default -> calls.get(to, from, source, s.stream);
                  }
                });
        s.stream.synchronize(PeState.LIMIT);
        assertArrayEquals(
            Arrays.copyOfRange(theirs, slice.offset, slice.offset + slice.bytes), s.read(to));
      }
    }
    s.barrier();
    refuses(p);
  }

  private record Slice(int offset, int bytes, int kind) {}

  private static List<Slice> slices(PeState s, int stripe, int from, int to) {
    Random random = new Random(s.seed + 31L * from + to);
    List<Slice> slices = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int bytes = 1 + random.nextInt(i % 4 == 0 ? stripe / 2 : 200);
      slices.add(new Slice(random.nextInt(stripe - bytes), bytes, i % 4));
    }
    return slices;
  }

  private static void refuses(BenchmarkPe p) {
    PeState s = p.state;
    DeviceRange inside = s.local(0, 16);
    DeviceRange outside = new DeviceRange(inside.address() + PeState.BUFFER_BYTES, 16);
    assertThrows(
        IllegalArgumentException.class,
        () -> p.extras().run("a put", PeState.LIMIT, calls -> calls.put(outside, inside, 0)));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            p.extras().run("a put", PeState.LIMIT, calls -> calls.put(inside, inside, s.peCount)));
    assertThrows(
        IllegalArgumentException.class,
        () -> p.extras().run("a put", PeState.LIMIT, calls -> calls.put(inside, s.local(0, 8), 0)));
    s.barrier();
  }

  /** Puts to the next PE with a signal, and waits for this PE's signal on host and stream. */
  static void signals(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    DeviceRange signal = s.local(0, 8);
    DeviceRange second = s.local(8, 8);
    DeviceRange data = s.local(4096, 100_000);
    DeviceRange source = s.local(1 << 20, 100_000);
    int next = (s.pe + 1) % s.peCount;
    int before = (s.pe + s.peCount - 1) % s.peCount;
    s.fill(s.local(0, 16), (byte) 0);
    s.write(source, s.content(s.pe, 100_000));
    s.barrier();
    assertThrows(
        TimeoutException.class,
        () -> SignalWait.untilAtLeast(s.stream, signal, 1, Duration.ofMillis(20)));
    s.barrier();
    p.extras()
        .run(
            "a put with a signal",
            PeState.LIMIT,
            calls -> {
              calls.putSignal(data, source, signal, 41, SignalOperation.SET, next, s.stream);
              calls.signal(second, 7, SignalOperation.ADD, next, s.stream);
              calls.signal(second, 5, SignalOperation.ADD, next, s.stream);
            });
    assertEquals(41, SignalWait.untilAtLeast(s.stream, signal, 41, PeState.LIMIT));
    p.extras()
        .run(
            "a wait on a stream",
            PeState.LIMIT,
            calls -> calls.awaitSignal(second, SignalComparison.AT_LEAST, 12, s.stream));
    s.stream.synchronize(PeState.LIMIT);
    assertArrayEquals(s.content(before, 100_000), s.read(data));
    s.barrier();
  }

  /** Uses NVSHMEM's all-to-all and broadcast. */
  static void streamCollectives(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    int block = 64 << 10;
    int bytes = block * s.peCount;
    DeviceRange source = s.local(0, bytes);
    DeviceRange destination = s.local(8 << 20, bytes);
    s.write(source, s.content(s.pe, bytes));
    Team world = p.team(Team.Predefined.WORLD);
    s.barrier();
    p.extras()
        .run(
            "an all-to-all",
            PeState.LIMIT,
            calls -> calls.allToAll(world, destination, source, s.stream));
    s.stream.synchronize(PeState.LIMIT);
    byte[] got = s.read(destination);
    for (int pe = 0; pe < s.peCount; pe++) {
      byte[] theirs = s.content(pe, bytes);
      assertArrayEquals(
          Arrays.copyOfRange(theirs, s.pe * block, (s.pe + 1) * block),
          Arrays.copyOfRange(got, pe * block, (pe + 1) * block));
    }
    s.barrier();
    int root = s.peCount - 1;
    p.extras()
        .run(
            "a broadcast",
            PeState.LIMIT,
            calls -> {
              calls.broadcast(world, destination, source, root, s.stream);
              calls.barrier(world, s.stream);
            });
    s.stream.synchronize(PeState.LIMIT);
    assertArrayEquals(s.content(root, bytes), s.read(destination));
    s.barrier();
  }
}
