// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.Gpus;
import io.symshuffle.nvshmem.PeSetup;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** PEs that come and go, on one GPU or more. */
@Tag("gpu")
class GpuCudaHeapMembershipIT extends AbstractCudaHeapMembership {
  @BeforeAll
  static void needsGpus() {
    Gpus.assume();
  }

  @Override
  PeSetup setup() {
    return PeSetup.GPU;
  }

  @Override
  int gpus() {
    return CudaDriver.system().deviceCount();
  }
}
