// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

/** What all PEs do together in a test of what only benchmarks use. */
enum BenchmarkStep {
  /** Each puts 8 integers to its neighbour. */
  RING {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.ring(p);
    }
  },

  /** The library's teams, and one of every second PE. */
  TEAMS {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.teams(p);
    }
  },

  /** Puts and gets of all kinds and sizes, each PE in its own stripe of every other's buffer. */
  PUT_AND_GET {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.putAndGet(p);
    }
  },

  /** Each puts to its neighbour with a signal, and waits for its own by host and by stream. */
  SIGNALS {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.signals(p);
    }
  },

  /** The library's all-to-all and broadcast. */
  STREAM_COLLECTIVES {
    @Override
    void run(BenchmarkPe p) throws Exception {
      NvshmemSteps.streamCollectives(p);
    }
  },

  /** Aligned pieces from every PE, by bulk copies. */
  PULL_TMA {
    @Override
    void run(BenchmarkPe p) throws Exception {
      BenchmarkCopySteps.pullTma(p);
    }
  },

  /** Pieces of all sizes and alignments to every PE, by one kernel. */
  PUSH {
    @Override
    void run(BenchmarkPe p) throws Exception {
      BenchmarkCopySteps.push(p);
    }
  },

  /** Large pieces by copy engines and small ones by a kernel, read and written. */
  PEER_COPY {
    @Override
    void run(BenchmarkPe p) throws Exception {
      BenchmarkCopySteps.peerCopy(p);
    }
  },

  /**
   * Pieces from every PE by the kernel that is linked with NVSHMEM: from mapped peers, from peers
   * that it is to ask NVSHMEM for, and, where NVSHMEM is a fake, from peers that that does not map.
   */
  DEVICE_PULL {
    @Override
    void run(BenchmarkPe p) throws Exception {
      BenchmarkCopySteps.devicePull(p);
    }
  },

  /** Every type and operation, over all PEs' buffers, into the own one and into all. */
  REDUCE {
    @Override
    void run(BenchmarkPe p) throws Exception {
      CollectiveSteps.reduce(p);
    }
  },

  /** The root writes an odd piece to all; barriers and signals between PEs are kernels. */
  BROADCAST_AND_BARRIERS {
    @Override
    void run(BenchmarkPe p) throws Exception {
      CollectiveSteps.broadcastAndBarriers(p);
    }
  };

  abstract void run(BenchmarkPe p) throws Exception;
}
