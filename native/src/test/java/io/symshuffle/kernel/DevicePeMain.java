// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.heap.PeMain;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Path;

/** One PE of the device tests, in a separate process. */
final class DevicePeMain {
  private DevicePeMain() {}

  /** Arguments: setup, folder, PE, number of PEs. */
  public static void main(String[] arguments) throws Exception {
    PeState state =
        new PeState(
            PeSetup.valueOf(arguments[0]),
            Path.of(arguments[1]),
            Integer.parseInt(arguments[2]),
            Integer.parseInt(arguments[3]));
    PeMain.serve(
        (step, seed) -> {
          state.seed = seed;
          DeviceStep.valueOf(step).run(state);
        });
  }
}
