// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.benchmarks.lab.nvshmem.NvshmemExtras;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.CopySteps;
import io.symshuffle.kernel.CopySteps.Prepared;
import io.symshuffle.kernel.LaunchPlan;
import io.symshuffle.kernel.PeState;
import io.symshuffle.kernel.Piece;
import io.symshuffle.kernel.UnsupportedKernelException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Steps that copy pieces between PEs. */
final class LabCopySteps {
  private LabCopySteps() {}

  /** Pulls aligned pieces from every PE with bulk copies. */
  static void pullTma(KernelPe p) throws Exception {
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
  static void push(KernelPe p) throws Exception {
    PeState s = p.state;
    CopySteps.copy(s, false, (pieces, plan) -> Prepared.of(p.kernels.push(pieces, plan)), 1);
  }

  /** Reads and writes large pieces with copy engines and small ones with a kernel. */
  static void peerCopy(KernelPe p) throws Exception {
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

  /** Uses NVSHMEM's puts and all-to-all on a stream, and refuses wrong arguments. */
  static void nvshmemOnStream(KernelPe p) throws Exception {
    PeState s = p.state;
    int block = 64 << 10;
    int bytes = block * s.peCount;
    DeviceRange source = s.local(0, bytes);
    DeviceRange byPuts = s.local(4 << 20, bytes);
    DeviceRange byCollective = s.local(8 << 20, bytes);
    s.write(source, s.content(s.pe, bytes));
    s.barrier();
    p.extras.run(
        "puts and an all-to-all",
        PeState.LIMIT,
        calls -> {
          for (int pe = 0; pe < s.peCount; pe++) {
            calls.put(slice(byPuts, s.pe, block), slice(source, pe, block), pe, s.stream);
          }
          calls.quiet(s.stream);
          calls.allToAll(byCollective, source, s.stream);
        });
    s.stream.synchronize(PeState.LIMIT);
    s.barrier();
    for (int pe = 0; pe < s.peCount; pe++) {
      byte[] expected = Arrays.copyOfRange(s.content(pe, bytes), s.pe * block, (s.pe + 1) * block);
      assertArrayEquals(expected, s.read(slice(byPuts, pe, block)), "put by PE " + pe);
      assertArrayEquals(expected, s.read(slice(byCollective, pe, block)), "from PE " + pe);
    }
    DeviceRange outside = new DeviceRange(source.address() + PeState.BUFFER_BYTES, block);
    refuses(p, calls -> calls.put(outside, slice(source, 0, block), 0, s.stream));
    refuses(p, calls -> calls.put(source, source, s.peCount, s.stream));
    refuses(p, calls -> calls.put(source, slice(source, 0, block - 1), 0, s.stream));
    refuses(p, calls -> calls.allToAll(byCollective, slice(source, 0, block), s.stream));
    assertThrows(IllegalStateException.class, () -> p.extras.quiet(s.stream));
    s.barrier();
  }

  private static DeviceRange slice(DeviceRange range, int index, long bytes) {
    return range.slice(index * (64L << 10), bytes);
  }

  private static void refuses(KernelPe p, Consumer<NvshmemExtras> work) {
    assertThrows(
        IllegalArgumentException.class, () -> p.extras.run("a mistake", PeState.LIMIT, work));
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
