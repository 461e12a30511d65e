// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

/** Steps that all PEs run in the benchmarks' kernel tests. */
enum BenchmarkStep {
  /** Puts 8 integers to the next PE. */
  RING {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.ring(p);
    }
  },

  /** Uses the predefined teams and a team of every second PE. */
  TEAMS {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.teams(p);
    }
  },

  /** Puts and gets ranges of all sizes, each PE in its own stripe of every other PE's buffer. */
  PUT_AND_GET {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.putAndGet(p);
    }
  },

  /** Puts to the next PE with a signal, and waits for this PE's signal on host and stream. */
  SIGNALS {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.signals(p);
    }
  },

  /** Uses NVSHMEM's all-to-all and broadcast. */
  STREAM_COLLECTIVES {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.streamCollectives(p);
    }
  },

  /** Pulls aligned pieces from every PE with bulk copies. */
  PULL_TMA {
    @Override
    void run(BenchmarkPe p) throws Exception {
      BenchmarkCopySteps.pullTma(p);
    }
  },

  /** Pushes pieces of all sizes and alignments to every PE with one kernel. */
  PUSH {
    @Override
    void run(BenchmarkPe p) throws Exception {
      BenchmarkCopySteps.push(p);
    }
  },

  /** Reads and writes large pieces with copy engines and small ones with a kernel. */
  PEER_COPY {
    @Override
    void run(BenchmarkPe p) throws Exception {
      BenchmarkCopySteps.peerCopy(p);
    }
  },

  /**
   * Pulls pieces from every PE with the kernel that is linked with NVSHMEM: from mapped peers, from
   * peers that it reads through NVSHMEM, and, if NVSHMEM is a fake, from peers that NVSHMEM has not
   * mapped.
   */
  DEVICE_PULL {
    @Override
    void run(BenchmarkPe p) throws Exception {
      BenchmarkCopySteps.devicePull(p);
    }
  },

  /** Reduces all PEs' buffers into this PE's and into all, for every type and operation. */
  REDUCE {
    @Override
    void run(BenchmarkPe p) throws Exception {
      CollectiveSteps.reduce(p);
    }
  },

  /** Broadcasts a piece of odd length, with barriers and signals by kernels. */
  BROADCAST_AND_BARRIERS {
    @Override
    void run(BenchmarkPe p) throws Exception {
      CollectiveSteps.broadcastAndBarriers(p);
    }
  };

  abstract void run(BenchmarkPe p) throws Exception;
}
