// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.heap.PeMain;
import io.symshuffle.nvshmem.PeSetup;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** One PE of the device tests, in a process of its own; takes steps as {@link PeMain} does. */
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
    System.out.println(PeMain.DONE + "START");
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ", 2);
      state.seed = Long.parseLong(words[1]);
      try {
        DeviceStep.valueOf(words[0]).run(state);
        System.out.println(PeMain.DONE + words[0]);
      } catch (Throwable e) {
        e.printStackTrace(System.out);
        System.out.println(PeMain.FAILED + words[0] + ": " + e);
      }
    }
    System.exit(0);
  }
}
