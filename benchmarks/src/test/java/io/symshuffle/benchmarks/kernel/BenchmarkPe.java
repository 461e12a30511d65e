// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import io.symshuffle.benchmarks.nvshmem.NvshmemExtras;
import io.symshuffle.benchmarks.nvshmem.Team;
import io.symshuffle.heap.PeMain;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.PeState;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Path;
import java.util.Optional;

/** One PE of the benchmarks' kernel tests, in a separate process. */
final class BenchmarkPe {
  final PeState state;
  final BenchmarkKernels kernels;
  private final NvshmemExtras extras;

  private BenchmarkPe(PeState state) {
    this.state = state;
    KernelImage image =
        state.setup == PeSetup.FAKE
            ? new KernelImage(Optional.of(BenchmarkFakes.IMAGE))
            : BenchmarkKernels.image();
    this.kernels = BenchmarkKernels.load(state.runtime.context(), image, state.pe);
    this.extras = new NvshmemExtras(state.runtime, state.buffer);
  }

  /** Arguments: setup, folder, PE, number of PEs. */
  public static void main(String[] arguments) throws Exception {
    BenchmarkFakes.use();
    BenchmarkPe pe =
        new BenchmarkPe(
            new PeState(
                PeSetup.valueOf(arguments[0]),
                Path.of(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3])));
    PeMain.serve(
        (step, seed) -> {
          pe.state.seed = seed;
          BenchmarkStep.valueOf(step).run(pe);
        });
  }

  NvshmemExtras extras() {
    return extras;
  }

  Team team(Team.Predefined kind) {
    return extras.call("a team", PeState.LIMIT, calls -> calls.team(kind));
  }
}
