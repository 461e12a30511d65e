// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.fake.FakeLibraries;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** All-reduces on the fake driver. */
class FakeAllReduceTest extends AllReduceSuite {
  @TempDir private Path folder;

  @Override
  CudaDriver driver() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    assumeTrue(KernelImage.find().absence().isEmpty(), "the jar has no kernels");
    return CudaDriver.open(List.of(FakeLibraries.cuda(folder).toString()));
  }

  @Override
  int elements() {
    return 5_001;
  }
}
