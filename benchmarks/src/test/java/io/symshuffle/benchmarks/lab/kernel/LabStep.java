// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

/** Steps that all PEs run in the lab's kernel tests. */
enum LabStep {
  /** Uses NVSHMEM's puts and all-to-all on a stream, and refuses wrong arguments. */
  NVSHMEM_ON_STREAM {
    @Override
    void run(KernelPe p) throws Exception {
      LabCopySteps.nvshmemOnStream(p);
    }
  },

  /** Pulls aligned pieces from every PE with bulk copies. */
  PULL_TMA {
    @Override
    void run(KernelPe p) throws Exception {
      LabCopySteps.pullTma(p);
    }
  },

  /** Pushes pieces of all sizes and alignments to every PE with one kernel. */
  PUSH {
    @Override
    void run(KernelPe p) throws Exception {
      LabCopySteps.push(p);
    }
  },

  /** Reads and writes large pieces with copy engines and small ones with a kernel. */
  PEER_COPY {
    @Override
    void run(KernelPe p) throws Exception {
      LabCopySteps.peerCopy(p);
    }
  },

  /** Sums all PEs' floats, between barriers by kernels. */
  SUM {
    @Override
    void run(KernelPe p) throws Exception {
      SumSteps.sum(p);
    }
  },

  /** Waits at a barrier that one PE does not reach. */
  MISSING_PE {
    @Override
    void run(KernelPe p) throws Exception {
      SumSteps.missingPe(p);
    }
  };

  abstract void run(KernelPe p) throws Exception;
}
