// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import io.symshuffle.benchmarks.lab.nvshmem.NvshmemExtras;
import io.symshuffle.heap.PeMain;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.PeState;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Path;
import java.util.Optional;

/** One PE of the benchmarks' kernel tests, in a separate process. */
final class KernelPe {
  final PeState state;
  final LabKernels kernels;
  final NvshmemExtras extras;

  private KernelPe(PeState state) {
    this.state = state;
    KernelImage image =
        state.setup == PeSetup.FAKE
            ? new KernelImage(Optional.of(LabFakes.IMAGE))
            : LabKernels.image();
    this.kernels = LabKernels.load(state.runtime.context(), image, state.pe);
    this.extras = new NvshmemExtras(state.runtime, state.buffer);
  }

  /** Arguments: setup, folder, PE, number of PEs. */
  public static void main(String[] arguments) throws Exception {
    LabFakes.use();
    KernelPe pe =
        new KernelPe(
            new PeState(
                PeSetup.valueOf(arguments[0]),
                Path.of(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3])));
    PeMain.serve(
        (step, seed) -> {
          pe.state.seed = seed;
          LabStep.valueOf(step).run(pe);
        });
  }
}
