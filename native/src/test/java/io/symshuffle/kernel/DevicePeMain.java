// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.heap.PeMain;

/** One PE of the device tests, in a separate process. */
final class DevicePeMain {
  private DevicePeMain() {}

  /** Arguments: those of {@link PeState}. */
  public static void main(String[] arguments) throws Exception {
    PeState state = new PeState(arguments);
    PeMain.serve(
        (step, seed) -> {
          state.seed = seed;
          DeviceStep.valueOf(step).run(state);
        });
  }
}
