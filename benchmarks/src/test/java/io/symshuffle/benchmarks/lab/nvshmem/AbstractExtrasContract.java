// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nvshmem;

import io.symshuffle.kernel.AbstractDeviceTest;
import io.symshuffle.nvshmem.PeSetup;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the lab's NVSHMEM functions, with one process per PE. */
abstract class AbstractExtrasContract extends AbstractDeviceTest<ExtrasStep> {
  AbstractExtrasContract(PeSetup setup) {
    super(setup, ExtrasPe.class);
  }

  @ParameterizedTest
  @EnumSource(ExtrasStep.class)
  void everyPePassesStep(ExtrasStep step) throws Exception {
    group().run(step, SEED);
  }
}
