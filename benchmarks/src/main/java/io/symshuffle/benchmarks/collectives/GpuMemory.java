// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.nvshmem.NvshmemRuntime;
import java.util.Optional;

/** GPU memory that all PEs of a run reach. */
interface GpuMemory {
  /** Returns the context of this PE's GPU. */
  CudaContext context();

  Buffers buffers();

  /** Waits on the host until all PEs have called this as often as this PE. */
  void barrier() throws Exception;

  /** Returns NVSHMEM; empty if the memory is not NVSHMEM's. */
  Optional<NvshmemRuntime> nvshmem();

  /** Frees it, together with all PEs. After a failure the end of the process does. */
  void free();
}
