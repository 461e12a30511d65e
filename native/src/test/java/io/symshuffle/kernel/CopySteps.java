// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.nvshmem.PeSetup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** Steps that copy pieces between PEs, in every way there is. */
final class CopySteps {
  private CopySteps() {}

  /** Pieces of all sizes and alignments from every PE, by one kernel. */
  static void pull(PeState s) throws Exception {
    copy(s, true, (pieces, plan) -> Prepared.of(s.kernels.pull(pieces, plan)), 1);
  }

  /** Aligned pieces from every PE, by bulk copies. */
  static void pullTma(PeState s) throws Exception {
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

  /** Pieces of all sizes and alignments to every PE, by one kernel. */
  static void push(PeState s) throws Exception {
    copy(s, false, (pieces, plan) -> Prepared.of(s.kernels.push(pieces, plan)), 1);
  }

  /** Large pieces by copy engines and small ones by a kernel, read and written. */
  static void peerCopy(PeState s) throws Exception {
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

  /**
   * Pieces from every PE by the kernel that is linked with NVSHMEM: from mapped peers, from peers
   * that it is to ask NVSHMEM for, and, where NVSHMEM is a fake, from peers that that does not map.
   */
  static void devicePull(PeState s) throws Exception {
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
  private static Prepared prepare(
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
