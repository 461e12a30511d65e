// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.benchmarks.lab.nvshmem.NvshmemExtras;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.CopySteps;
import io.symshuffle.kernel.CopySteps.Prepared;
import io.symshuffle.kernel.PeState;
import java.util.Arrays;
import java.util.function.Consumer;

/** Steps that copy pieces between PEs. */
final class LabCopySteps {
  private LabCopySteps() {}

  /** Pushes pieces of all sizes and alignments to every PE with one kernel. */
  static void push(KernelPe p) throws Exception {
    PeState s = p.state;
    CopySteps.copy(s, false, (pieces, plan) -> Prepared.of(p.kernels.push(pieces, plan)), 1);
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
    refuses(p, calls -> calls.allToAll(byCollective, slice(source, 0, bytes - 1), s.stream));
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
}
