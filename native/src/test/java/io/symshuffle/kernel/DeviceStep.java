// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.nvshmem.NvshmemException;
import io.symshuffle.nvshmem.PeSetup;
import io.symshuffle.nvshmem.SignalComparison;
import io.symshuffle.nvshmem.SignalOperation;
import io.symshuffle.nvshmem.SignalWait;
import io.symshuffle.nvshmem.Team;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** What every PE does at once in its process; all of them unless it says otherwise. */
enum DeviceStep {
  /** Each puts 8 integers to its neighbour. */
  RING {
    @Override
    void run(PeState s) throws Exception {
      s.barrier();
      int next = (s.pe + 1) % s.peCount;
      int before = (s.pe + s.peCount - 1) % s.peCount;
      s.write(s.local(0, 32), ints(s, s.pe));
      s.barrier();
      s.runtime.run(
          "a put", PeState.LIMIT, calls -> calls.put(s.local(64, 32), s.local(0, 32), next));
      s.barrier();
      assertArrayEquals(ints(s, before), s.read(s.local(64, 32)));
      s.barrier();
    }

    private byte[] ints(PeState s, int pe) {
      ByteBuffer bytes = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder());
      s.random(pe).ints(8).forEach(bytes::putInt);
      return bytes.array();
    }
  },

  /** The library's teams, and one of every second PE. */
  TEAMS {
    @Override
    void run(PeState s) {
      Team world = team(s, Team.Predefined.WORLD);
      assertEquals(s.peCount, world.size());
      assertEquals(s.pe, world.myPe());
      assertEquals(s.peCount, team(s, Team.Predefined.SHARED).size());
      assertEquals(s.peCount, team(s, Team.Predefined.NODE).size());
      int size = (s.peCount + 1) / 2;
      Team even =
          s.runtime
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
        s.runtime.run("a barrier", PeState.LIMIT, calls -> calls.barrier(even));
        s.runtime.run("a destruction", PeState.LIMIT, calls -> calls.destroy(even));
        assertThrows(
            IllegalStateException.class,
            () -> s.runtime.run("a barrier", PeState.LIMIT, calls -> calls.barrier(even)));
      }
      String message =
          assertThrows(
                  IllegalStateException.class,
                  () ->
                      s.runtime.run("a destruction", PeState.LIMIT, calls -> calls.destroy(world)))
              .getMessage();
      assertEquals("team WORLD is NVSHMEM's own and cannot be destroyed", message);
      assertThrows(
          IllegalArgumentException.class,
          () ->
              s.runtime.run(
                  "a split",
                  PeState.LIMIT,
                  calls -> calls.splitStrided(world, 0, 1, s.peCount + 1)));
      s.barrier();
    }
  },

  /** Puts and gets of all kinds and sizes, each PE in its own stripe of every other's buffer. */
  PUT_AND_GET {
    @Override
    void run(PeState s) throws Exception {
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
          s.runtime.run(
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
      s.runtime.run(
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
          s.runtime.run(
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
      refuses(s);
    }

    private record Slice(int offset, int bytes, int kind) {}

    private List<Slice> slices(PeState s, int stripe, int from, int to) {
      Random random = new Random(s.seed + 31L * from + to);
      List<Slice> slices = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        int bytes = 1 + random.nextInt(i % 4 == 0 ? stripe / 2 : 200);
        slices.add(new Slice(random.nextInt(stripe - bytes), bytes, i % 4));
      }
      return slices;
    }

    private void refuses(PeState s) {
      DeviceRange inside = s.local(0, 16);
      DeviceRange outside = new DeviceRange(inside.address() + PeState.BUFFER_BYTES, 16);
      assertThrows(
          IllegalArgumentException.class,
          () -> s.runtime.run("a put", PeState.LIMIT, calls -> calls.put(outside, inside, 0)));
      assertThrows(
          IllegalArgumentException.class,
          () ->
              s.runtime.run("a put", PeState.LIMIT, calls -> calls.put(inside, inside, s.peCount)));
      assertThrows(
          IllegalArgumentException.class,
          () ->
              s.runtime.run("a put", PeState.LIMIT, calls -> calls.put(inside, s.local(0, 8), 0)));
      s.barrier();
    }
  },

  /** Each puts to its neighbour with a signal, and waits for its own by host and by stream. */
  SIGNALS {
    @Override
    void run(PeState s) throws Exception {
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
      s.runtime.run(
          "a put with a signal",
          PeState.LIMIT,
          calls -> {
            calls.putSignal(data, source, signal, 41, SignalOperation.SET, next, s.stream);
            calls.signal(second, 7, SignalOperation.ADD, next, s.stream);
            calls.signal(second, 5, SignalOperation.ADD, next, s.stream);
          });
      assertEquals(41, SignalWait.untilAtLeast(s.stream, signal, 41, PeState.LIMIT));
      s.runtime.run(
          "a wait on a stream",
          PeState.LIMIT,
          calls -> calls.awaitSignal(second, SignalComparison.AT_LEAST, 12, s.stream));
      s.stream.synchronize(PeState.LIMIT);
      assertArrayEquals(s.content(before, 100_000), s.read(data));
      s.barrier();
    }
  },

  /** The library's all-to-all and broadcast. */
  STREAM_COLLECTIVES {
    @Override
    void run(PeState s) throws Exception {
      int block = 64 << 10;
      int bytes = block * s.peCount;
      DeviceRange source = s.local(0, bytes);
      DeviceRange destination = s.local(8 << 20, bytes);
      s.write(source, s.content(s.pe, bytes));
      Team world = team(s, Team.Predefined.WORLD);
      s.barrier();
      s.runtime.run(
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
      s.runtime.run(
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
  },

  /** Pieces of all sizes and alignments from every PE, by one kernel. */
  PULL {
    @Override
    void run(PeState s) throws Exception {
      copy(s, true, (pieces, plan) -> Prepared.of(s.kernels.pull(pieces, plan)), 1);
    }
  },

  /** Aligned pieces from every PE, by bulk copies. */
  PULL_TMA {
    @Override
    void run(PeState s) throws Exception {
      if (s.kernels.isHopperOrNewer()) {
        copy(s, true, (pieces, plan) -> Prepared.of(s.kernels.pullTma(pieces, plan)), 16);
      } else {
        assertThrows(
            UnsupportedKernelException.class,
            () -> s.kernels.pullTma(List.of(), new LaunchPlan(1, 1, 1)));
      }
      DeviceRange odd = s.local(1, 15);
      assertThrows(
          UnsupportedKernelException.class,
          () ->
              s.kernels.pullTma(
                  List.of(new Piece(odd, s.local(64, 15), s.pe)), new LaunchPlan(1, 1, 1)));
    }
  },

  /** Pieces of all sizes and alignments to every PE, by one kernel. */
  PUSH {
    @Override
    void run(PeState s) throws Exception {
      copy(s, false, (pieces, plan) -> Prepared.of(s.kernels.push(pieces, plan)), 1);
    }
  },

  /** Large pieces by copy engines and small ones by a kernel, read and written. */
  PEER_COPY {
    @Override
    void run(PeState s) throws Exception {
      for (CopyRoute route : CopyRoute.values()) {
        copy(
            s,
            route == CopyRoute.READ,
            (pieces, plan) ->
                Prepared.of(new PeerCopy(s.kernels, pieces, route, bytes -> bytes > 20_000)),
            1);
      }
      DeviceRange own = s.local(0, 100);
      DeviceRange other = s.peer((s.pe + 1) % s.peCount, 200, 100);
      try (PeerCopy usual =
          PeerCopy.reading(s.kernels, List.of(new Piece(other, own, (s.pe + 1) % s.peCount)))) {
        assertEquals(0, usual.enginePieces(), "a small piece is worth no engine");
        assertEquals(1, usual.ctas());
      }
    }
  },

  /**
   * Pieces from every PE by the kernel that is linked with NVSHMEM: from mapped peers, from peers
   * that it is to ask NVSHMEM for, and, where NVSHMEM is a fake, from peers that that does not map.
   */
  DEVICE_PULL {
    @Override
    void run(PeState s) throws Exception {
      KernelImage image = KernelImage.find();
      if (image.absence().isPresent()) {
        UnsupportedKernelException refused =
            assertThrows(
                UnsupportedKernelException.class, () -> DevicePull.load(s.runtime, PeState.LIMIT));
        assertEquals(image.absence().get(), refused.getMessage());
        return;
      }
      List<Optional<DeviceRange>> mapped =
          IntStream.range(0, s.peCount).mapToObj(pe -> s.buffer.peer(pe)).toList();
      List<Optional<DeviceRange>> none = Collections.nCopies(s.peCount, Optional.empty());
      List<DeviceRange> bases = mapped.stream().map(Optional::orElseThrow).toList();
      DeviceRange own = s.buffer.local();
      try (DevicePull pull = DevicePull.load(s.runtime, PeState.LIMIT)) {
        for (List<Optional<DeviceRange>> peers : List.of(mapped, none)) {
          copy(s, true, (pieces, plan) -> prepare(pull, own, bases, peers, pieces, plan), 1);
        }
        if (s.setup == PeSetup.FAKE) {
          copy(
              s,
              true,
              (pieces, plan) -> {
                FakeLibraries.script(s.folder.resolve("nvshmem-" + s.pe), "unreachable");
                return prepare(pull, own, bases, none, pieces, plan);
              },
              1,
              () -> FakeLibraries.script(s.folder.resolve("nvshmem-" + s.pe)));
        }
        assertThrows(
            IllegalArgumentException.class,
            () ->
                pull.pull(
                    own.slice(0, 64),
                    mapped,
                    List.of(new Piece(own.slice(64, 64), own.slice(0, 64), s.pe)),
                    new LaunchPlan(1, 1, 1)));
        assertThrows(
            IllegalArgumentException.class,
            () -> pull.pull(own.slice(64, 64), mapped, List.of(), new LaunchPlan(1, 1, 1)));
      }
    }

    // In its descriptors a source lies in the own buffer.
    private Prepared prepare(
        DevicePull pull,
        DeviceRange own,
        List<DeviceRange> bases,
        List<Optional<DeviceRange>> peers,
        List<Piece> pieces,
        LaunchPlan plan) {
      List<Piece> symmetric =
          pieces.stream()
              .map(
                  piece ->
                      new Piece(
                          own.slice(
                              piece.source().address() - bases.get(piece.pe()).address(),
                              piece.bytes()),
                          piece.destination(),
                          piece.pe()))
              .toList();
      return Prepared.of(pull.pull(own, peers, symmetric, plan));
    }
  },

  /** Checksums of pieces, own and others'. */
  CRC32C_OF_PIECES {
    @Override
    void run(PeState s) throws Exception {
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
  },

  /** Records of all kinds become runs, as on the CPU. */
  ROW_PARTITION {
    @Override
    void run(PeState s) throws Exception {
      new RowPartitionCheck(s).run();
      s.barrier();
    }
  },

  /** Every type and operation, over all PEs' buffers, into the own one and into all. */
  REDUCE {
    @Override
    void run(PeState s) throws Exception {
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

    private byte[] elements(PeState s, ElementType type, int pe, int count) {
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
  },

  /** The root writes an odd piece to all; barriers and signals between PEs are kernels. */
  BROADCAST_AND_BARRIERS {
    @Override
    void run(PeState s) throws Exception {
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
  },

  /** Ends NVSHMEM and starts it again with a new id; what was made before is of no use after. */
  RESTART {
    @Override
    void run(PeState s) throws Exception {
      var old = s.buffer;
      s.runtime.finish(PeState.LIMIT);
      assertThrows(IllegalStateException.class, () -> s.barrier());
      PeSetup.start(s.runtime, s.folder, "again-" + s.seed, s.pe, s.peCount);
      assertThrows(IllegalStateException.class, old::local);
      old.close();
      s.buffer = s.runtime.allocate(PeState.BUFFER_BYTES, PeState.LIMIT);
      s.barrier();
    }
  },

  /** Fills the own buffer, for {@link #READ_ON}. */
  FILL {
    @Override
    void run(PeState s) throws Exception {
      s.write(s.local(0, 8 << 20), s.content(s.pe, 8 << 20));
      s.barrier();
    }
  },

  /**
   * After a PE has died: reads the buffers of all, the dead one's too, by copies and by a kernel.
   */
  READ_ON {
    @Override
    void run(PeState s) throws Exception {
      s.runtime.giveUp("a PE has died");
      assertThrows(NvshmemException.class, s::barrier);
      int bytes = 8 << 20;
      for (int pe = 0; pe < s.peCount; pe++) {
        byte[] theirs = s.content(pe, bytes);
        assertArrayEquals(theirs, s.read(s.peer(pe, 0, bytes)), "PE " + pe + " by copies");
        DeviceRange to = s.local(8 << 20, bytes);
        s.fill(to, (byte) 0);
        List<Piece> pieces = List.of(new Piece(s.peer(pe, 0, bytes), to, pe));
        try (KernelLaunch launch = s.kernels.pull(pieces, s.kernels.planFor(pieces, 1))) {
          launch.queue(s.stream);
          launch.await(s.stream, PeState.LIMIT);
        }
        assertArrayEquals(theirs, s.read(to), "PE " + pe + " by a kernel");
      }
    }
  },

  /** Ends the process as an executor ends, without a word to NVSHMEM. */
  END {
    @Override
    void run(PeState s) {
      s.kernels.close();
      s.runtime.close();
      System.exit(0);
    }
  };

  abstract void run(PeState s) throws Exception;

  static Team team(PeState s, Team.Predefined kind) {
    return s.runtime.call("a team", PeState.LIMIT, calls -> calls.team(kind));
  }

  /** A copy that can be queued. */
  private interface Prepared extends AutoCloseable {
    void run(PeState s) throws Exception;

    @Override
    void close();

    static Prepared of(KernelLaunch launch) {
      return new Prepared() {
        @Override
        public void run(PeState s) throws Exception {
          launch.queue(s.stream);
          launch.await(s.stream, PeState.LIMIT);
        }

        @Override
        public void close() {
          launch.close();
        }
      };
    }

    static Prepared of(PeerCopy copy) {
      return new Prepared() {
        @Override
        public void run(PeState s) throws Exception {
          copy.queue(s.stream);
          copy.await(s.stream, PeState.LIMIT);
        }

        @Override
        public void close() {
          copy.close();
        }
      };
    }
  }

  /** Prepares a copy. */
  private interface Copy {
    Prepared prepare(List<Piece> pieces, LaunchPlan plan);
  }

  /**
   * Random pieces between every two PEs: each PE's source is [0, 4 MiB) of its buffer; the part of
   * [4 MiB, 16 MiB) that belongs to a pair is the same wherever it is asked for.
   */
  private static void copy(PeState s, boolean pull, Copy copy, int alignment) throws Exception {
    copy(s, pull, copy, alignment, () -> {});
  }

  private static void copy(PeState s, boolean pull, Copy copy, int alignment, Runnable afterwards)
      throws Exception {
    int sourceBytes = 4 << 20;
    int part = ((12 << 20) / s.peCount) & -4096;
    s.write(s.local(0, sourceBytes), s.content(s.pe, sourceBytes));
    s.fill(s.local(sourceBytes, (long) part * s.peCount), (byte) 0);
    s.barrier();
    List<Piece> pieces = new ArrayList<>();
    for (int k = 0; k < s.peCount; k++) {
      int pe = (s.pe + k) % s.peCount;
      int from = pull ? pe : s.pe;
      int to = pull ? s.pe : pe;
      for (Part p : parts(s, from, to, sourceBytes, part, alignment)) {
        pieces.add(
            new Piece(
                s.peer(from, p.source, p.bytes),
                s.peer(to, sourceBytes + (long) from * part + p.destination, p.bytes),
                pe));
      }
    }
    LaunchPlan usual = s.kernels.planFor(pieces, s.peCount);
    try (Prepared launch = copy.prepare(pieces, usual);
        Prepared small = copy.prepare(pieces, new LaunchPlan(3, 1, 1))) {
      for (Prepared each : List.of(launch, small, launch)) {
        each.run(s);
      }
    } finally {
      afterwards.run();
    }
    s.barrier();
    for (int from = 0; from < s.peCount; from++) {
      byte[] theirs = s.content(from, sourceBytes);
      byte[] expected = new byte[part];
      for (Part p : parts(s, from, s.pe, sourceBytes, part, alignment)) {
        System.arraycopy(theirs, p.source, expected, p.destination, p.bytes);
      }
      byte[] got = s.read(s.local(sourceBytes + (long) from * part, part));
      assertEquals(-1, Arrays.mismatch(expected, got), "first wrong byte from PE " + from);
    }
    assertFalse(pieces.isEmpty());
    s.barrier();
  }

  private record Part(int source, int destination, int bytes) {}

  private static List<Part> parts(
      PeState s, int from, int to, int sourceBytes, int part, int alignment) {
    Random random = new Random(s.seed * 101 + 13L * from + to);
    List<Part> parts = new ArrayList<>();
    int at = 0;
    for (int i = 0; i < 200; i++) {
      int bytes = random.nextInt(i % 20 == 0 ? 200_000 : 3000) & -alignment;
      at += random.nextInt(40) & -alignment;
      if (at + bytes > part) {
        break;
      }
      parts.add(new Part(random.nextInt(sourceBytes - bytes) & -alignment, at, bytes));
      at += bytes;
    }
    return parts;
  }
}
