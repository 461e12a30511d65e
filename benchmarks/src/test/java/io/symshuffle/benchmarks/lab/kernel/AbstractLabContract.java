// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import io.symshuffle.kernel.AbstractDeviceTest;
import io.symshuffle.nvshmem.PeSetup;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the lab's kernels and NVSHMEM functions, with one process per PE. */
abstract class AbstractLabContract extends AbstractDeviceTest<LabStep> {
  AbstractLabContract(PeSetup setup) {
    super(setup, KernelPe.class, LabKernels::image);
  }

  @ParameterizedTest
  @EnumSource(LabStep.class)
  void everyPePassesStep(LabStep step) throws Exception {
    group().run(step, SEED);
  }
}
