// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.kernel.CopySteps;
import io.symshuffle.kernel.CopySteps.Prepared;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.LaunchPlan;
import io.symshuffle.kernel.PeState;
import io.symshuffle.kernel.Piece;
import io.symshuffle.kernel.UnsupportedKernelException;
import io.symshuffle.nvshmem.PeSetup;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Steps that copy pieces between PEs with the benchmarks' kernels. */
final class BenchmarkCopySteps {
  private BenchmarkCopySteps() {}

  /** Pulls aligned pieces from every PE with bulk copies. */
  static void pullTma(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    if (p.kernels.isHopperOrNewer()) {
      CopySteps.copy(s, true, (pieces, plan) -> Prepared.of(p.kernels.pullTma(pieces, plan)), 16);
    } else {
      assertThrows(
          UnsupportedKernelException.class,
          () -> p.kernels.pullTma(List.of(), new LaunchPlan(1, 1, 1)));
    }
    DeviceRange odd = s.local(1, 15);
    assertThrows(
        UnsupportedKernelException.class,
        () ->
            p.kernels.pullTma(
                List.of(new Piece(odd, s.local(64, 15), s.pe)), new LaunchPlan(1, 1, 1)));
  }

  /** Pushes pieces of all sizes and alignments to every PE with one kernel. */
  static void push(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    CopySteps.copy(s, false, (pieces, plan) -> Prepared.of(p.kernels.push(pieces, plan)), 1);
  }

  /** Reads and writes large pieces with copy engines and small ones with a kernel. */
  static void peerCopy(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    for (CopyRoute route : CopyRoute.values()) {
      CopySteps.copy(
          s,
          route == CopyRoute.READ,
          (pieces, plan) ->
              prepared(new PeerCopy(s.kernels, p.kernels, pieces, route, bytes -> bytes > 20_000)),
          1);
    }
    DeviceRange own = s.local(0, 100);
    DeviceRange other = s.peer((s.pe + 1) % s.peCount, 200, 100);
    try (PeerCopy usual =
        PeerCopy.reading(
            s.kernels, p.kernels, List.of(new Piece(other, own, (s.pe + 1) % s.peCount)))) {
      assertEquals(0, usual.enginePieces(), "a small piece does not use an engine");
      assertEquals(1, usual.ctas());
    }
  }

  /**
   * Pulls pieces from every PE with the kernel that is linked with NVSHMEM: from mapped peers, from
   * peers that it reads through NVSHMEM, and, if NVSHMEM is a fake, from peers that NVSHMEM has not
   * mapped.
   */
  static void devicePull(BenchmarkPe p) throws Exception {
    PeState s = p.state;
    KernelImage image = BenchmarkKernels.image();
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
        CopySteps.copy(
            s, true, (pieces, plan) -> prepare(pull, own, bases, peers, pieces, plan), 1);
      }
      if (s.setup == PeSetup.FAKE) {
        CopySteps.copy(
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

  // A descriptor's source is an address in this PE's buffer.
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

  private static Prepared prepared(PeerCopy copy) {
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
