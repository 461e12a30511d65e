// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

/** Steps that all PEs run in the lab's kernel tests. */
enum LabStep {
  /** Uses NVSHMEM's puts and all-to-all on a stream, and refuses wrong arguments. */
  NVSHMEM_ON_STREAM(LabCopySteps::nvshmemOnStream),

  /** Pushes pieces of all sizes and alignments to every PE with one kernel. */
  PUSH(LabCopySteps::push),

  /** Sums all PEs' floats, between barriers by kernels. */
  SUM(SumSteps::sum),

  /** Waits at a barrier that one PE does not reach. */
  MISSING_PE(SumSteps::missingPe);

  /** What a PE does. */
  @FunctionalInterface
  private interface Work {
    void run(KernelPe p) throws Exception;
  }

  @SuppressWarnings("ImmutableEnumChecker") // a static method
  private final Work work;

  LabStep(Work work) {
    this.work = work;
  }

  void run(KernelPe p) throws Exception {
    work.run(p);
  }
}
