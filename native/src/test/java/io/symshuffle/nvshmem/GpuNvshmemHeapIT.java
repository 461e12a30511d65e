// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.Gpus;
import io.symshuffle.heap.AbstractDeviceHeapContract;
import io.symshuffle.heap.DeviceHeapMaker;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The device heap's contract on NVSHMEM, with as many PEs as there are GPUs. */
@Tag("gpu")
class GpuNvshmemHeapIT extends AbstractDeviceHeapContract {
  @BeforeAll
  static void needsGpus() {
    Gpus.assume();
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
