// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.process.ChildProcess;
import java.util.List;

/** Whether processes of this host can share GPU memory without NVSHMEM. */
final class CudaHeapChecks {
  private static final int MAX_PES = 8;

  private static final KnownProblem NOT_SHARED = KnownProblem.named("cuda-memory-not-shared");

  /** Whether device heaps of CUDA memory are possible on this host. */
  static final Check DEVICE_HEAP =
      new Check("heap of CUDA memory", List.of(NOT_SHARED), CudaHeapChecks::heapOfCudaMemory);

  static final List<Check> ALL = List.of(DEVICE_HEAP);

  private CudaHeapChecks() {}

  private static List<Finding> heapOfCudaMemory(Host host) {
    int gpus = host.gpus().size();
    if (gpus == 0) {
      return List.of(Finding.skip("No GPU; shuffles use the host heap"));
    }
    int pes = Math.min(gpus, MAX_PES);
    ChildProcess.Result outcome = host.probe().ring(Backend.CUDA, pes, host.usedHeapFolder());
    return List.of(
        outcome.passed()
            ? Finding.ok("%d PEs exchanged data through CUDA's virtual memory".formatted(pes))
            : Finding.warn(NOT_SHARED, MemoryChecks.failedRing(pes + " PEs", outcome)));
  }
}
