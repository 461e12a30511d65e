// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.nvshmem.PeSetup;
import org.junit.jupiter.api.Tag;

/** Runs on all GPUs of this machine. */
@Tag("gpu")
class GpuLabIT extends AbstractLabContract {
  @Override
  protected PeSetup setup() {
    return PeSetup.GPU;
  }

  @Override
  protected int peCount() {
    return CudaDriver.system().deviceCount();
  }

  @Override
  protected void assumePossible() {
    CudaDriver driver = CudaDriver.system();
    assumeTrue(driver.absence().isEmpty(), () -> driver.absence().orElseThrow());
    KernelImage image = LabKernels.image();
    assumeTrue(image.absence().isEmpty(), () -> image.absence().orElseThrow());
  }
}
