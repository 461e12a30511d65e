// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.Gpus;
import io.symshuffle.heap.AbstractDeviceHeapContract;
import io.symshuffle.heap.DeviceHeapMaker;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The device heap's contract in CUDA's virtual memory; PEs share GPUs if there are fewer. */
@Tag("gpu")
class GpuCudaHeapIT extends AbstractDeviceHeapContract {
  @BeforeAll
  static void needsGpus() {
    Gpus.assume();
  }

  @Override
  protected Class<? extends DeviceHeapMaker> maker() {
    return CudaHeapMaker.OnGpus.class;
  }

  @Override
  protected int maxPes() {
    return Math.max(5, CudaDriver.system().deviceCount());
  }
}
