// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.nvshmem.PeSetup;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of {@code NvshmemRuntime} and the kernels, with one process per PE. */
abstract class AbstractDeviceContract extends AbstractDeviceTest<DeviceStep> {
  AbstractDeviceContract(PeSetup setup) {
    super(setup, DevicePeMain.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = DeviceStep.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FILL", "READ_ON", "END", "RESTART"})
  void everyPePassesStep(DeviceStep step) throws Exception {
    group().run(step, SEED);
  }

  @Test
  void nvshmemFinishesAndStartsAgain() throws Exception {
    for (int round = 0; round < 2; round++) {
      group().run(DeviceStep.RESTART, SEED + round);
      group().run(DeviceStep.PULL, SEED);
    }
  }

  @Test
  void survivorsOfAKilledPeKeepReadingAndExit() throws Exception {
    assumeTrue(peCount() > 1, "needs another PE");
    try (DeviceGroup<DeviceStep> doomed = newGroup()) {
      doomed.run(DeviceStep.FILL, SEED);
      int[] others = IntStream.range(0, peCount() - 1).toArray();
      doomed.kill(peCount() - 1);
      doomed.run(DeviceStep.READ_ON, SEED, others);
      doomed.end(DeviceStep.END, 5, others);
    }
  }
}
