// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The device heap's contract in CUDA's virtual memory; PEs share GPUs if there are fewer. */
@Tag("gpu")
class GpuCudaHeapIT extends AbstractDeviceHeapContract {
  @BeforeAll
  static void needsGpus() {
    CudaDriver driver = CudaDriver.system();
    assumeTrue(driver.absence().isEmpty(), () -> driver.absence().orElseThrow());
  }

  @Override
  Class<? extends DeviceHeapMaker> maker() {
    return CudaHeapMaker.OnGpus.class;
  }

  @Override
  int maxPes() {
    return Math.max(5, CudaDriver.system().deviceCount());
  }
}
