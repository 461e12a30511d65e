// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nvshmem;

import io.symshuffle.heap.PeMain;
import io.symshuffle.kernel.PeState;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Path;

/** One PE of these tests, in a separate process. */
final class ExtrasPe {
  private ExtrasPe() {}

  /** Arguments: setup, folder, PE, number of PEs. */
  public static void main(String[] arguments) throws Exception {
    PeState state =
        new PeState(
            PeSetup.valueOf(arguments[0]),
            Path.of(arguments[1]),
            Integer.parseInt(arguments[2]),
            Integer.parseInt(arguments[3]));
    NvshmemExtras extras = new NvshmemExtras(state.runtime, state.buffer);
    PeMain.serve(
        (step, seed) -> {
          state.seed = seed;
          ExtrasStep.valueOf(step).run(state, extras);
        });
  }
}
