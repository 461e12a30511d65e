// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nvshmem;

import io.symshuffle.heap.PeMain;
import io.symshuffle.kernel.PeState;

/** One PE of these tests, in a separate process. */
final class ExtrasPe {
  private ExtrasPe() {}

  /** Arguments: those of {@link PeState}. */
  public static void main(String[] arguments) throws Exception {
    PeState state = new PeState(arguments);
    NvshmemExtras extras = new NvshmemExtras(state.runtime, state.buffer);
    PeMain.serve(
        (step, seed) -> {
          state.seed = seed;
          ExtrasStep.valueOf(step).run(state, extras);
        });
  }
}
