// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on NVSHMEM and GPUs, on as many as there are. */
@Tag("gpu")
class GpuNvshmemHeapIT {
  @BeforeAll
  static void needsGpus() {
    CudaDriver driver = CudaDriver.system();
    assumeTrue(driver.absence().isEmpty(), () -> driver.absence().orElseThrow());
  }

  @Nested
  class Mapped extends AbstractSymmetricHeapContract {
    @Override
    protected Class<? extends HeapMaker> maker() {
      return NvshmemHeapMaker.OnGpus.class;
    }

    @Override
    protected int mostPes() {
      return CudaDriver.system().deviceCount();
    }
  }

  @Nested
  class Unmapped extends AbstractSymmetricHeapContract {
    @Override
    protected Class<? extends HeapMaker> maker() {
      return NvshmemHeapMaker.OnGpusUnmapped.class;
    }

    @Override
    protected int mostPes() {
      return CudaDriver.system().deviceCount();
    }
  }
}
