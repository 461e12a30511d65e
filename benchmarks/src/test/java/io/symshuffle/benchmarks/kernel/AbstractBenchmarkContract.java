// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import io.symshuffle.kernel.AbstractDeviceTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of kernels and NVSHMEM functions that only benchmarks use, with one process per PE. */
abstract class AbstractBenchmarkContract extends AbstractDeviceTest<BenchmarkStep> {
  @Override
  protected Class<?> main() {
    return BenchmarkPe.class;
  }

  @ParameterizedTest
  @EnumSource(BenchmarkStep.class)
  void everyPePassesStep(BenchmarkStep step) throws Exception {
    group().run(step, SEED);
  }
}
