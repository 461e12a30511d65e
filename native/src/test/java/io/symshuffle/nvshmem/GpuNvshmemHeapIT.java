// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.heap.AbstractDeviceHeapContract;
import io.symshuffle.heap.DeviceHeapMaker;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The device heap's contract on NVSHMEM, with as many PEs as there are GPUs. */
@Tag("gpu")
class GpuNvshmemHeapIT extends AbstractDeviceHeapContract {
  @BeforeAll
  static void needsGpus() {
    CudaDriver driver = CudaDriver.system();
    assumeTrue(driver.absence().isEmpty(), () -> driver.absence().orElseThrow());
  }

  @Override
  protected Class<? extends DeviceHeapMaker> maker() {
    return NvshmemHeapMaker.OnGpus.class;
  }

  @Override
  protected int maxPes() {
    return CudaDriver.system().deviceCount();
  }
}
