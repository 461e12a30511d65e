// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.nvshmem.NvshmemException;
import io.symshuffle.nvshmem.PeSetup;
import io.symshuffle.nvshmem.Team;
import java.util.List;

/** What every PE does at once in its process; all of them unless it says otherwise. */
enum DeviceStep {
  /** Each puts 8 integers to its neighbour. */
  RING {
    @Override
    void run(PeState s) throws Exception {
      NvshmemSteps.ring(s);
    }
  },

  /** The library's teams, and one of every second PE. */
  TEAMS {
    @Override
    void run(PeState s) throws Exception {
      NvshmemSteps.teams(s);
    }
  },

  /** Puts and gets of all kinds and sizes, each PE in its own stripe of every other's buffer. */
  PUT_AND_GET {
    @Override
    void run(PeState s) throws Exception {
      NvshmemSteps.putAndGet(s);
    }
  },

  /** Each puts to its neighbour with a signal, and waits for its own by host and by stream. */
  SIGNALS {
    @Override
    void run(PeState s) throws Exception {
      NvshmemSteps.signals(s);
    }
  },

  /** The library's all-to-all and broadcast. */
  STREAM_COLLECTIVES {
    @Override
    void run(PeState s) throws Exception {
      NvshmemSteps.streamCollectives(s);
    }
  },

  /** Pieces of all sizes and alignments from every PE, by one kernel. */
  PULL {
    @Override
    void run(PeState s) throws Exception {
      CopySteps.pull(s);
    }
  },

  /** Aligned pieces from every PE, by bulk copies. */
  PULL_TMA {
    @Override
    void run(PeState s) throws Exception {
      CopySteps.pullTma(s);
    }
  },

  /** Pieces of all sizes and alignments to every PE, by one kernel. */
  PUSH {
    @Override
    void run(PeState s) throws Exception {
      CopySteps.push(s);
    }
  },

  /** Large pieces by copy engines and small ones by a kernel, read and written. */
  PEER_COPY {
    @Override
    void run(PeState s) throws Exception {
      CopySteps.peerCopy(s);
    }
  },

  /**
   * Pieces from every PE by the kernel that is linked with NVSHMEM: from mapped peers, from peers
   * that it is to ask NVSHMEM for, and, where NVSHMEM is a fake, from peers that that does not map.
   */
  DEVICE_PULL {
    @Override
    void run(PeState s) throws Exception {
      CopySteps.devicePull(s);
    }
  },

  /** Checksums of pieces, own and others'. */
  CRC32C_OF_PIECES {
    @Override
    void run(PeState s) throws Exception {
      KernelSteps.crc32cOfPieces(s);
    }
  },

  /** Records of all kinds become runs, as on the CPU. */
  ROW_PARTITION {
    @Override
    void run(PeState s) throws Exception {
      KernelSteps.rowPartition(s);
    }
  },

  /** Every type and operation, over all PEs' buffers, into the own one and into all. */
  REDUCE {
    @Override
    void run(PeState s) throws Exception {
      KernelSteps.reduce(s);
    }
  },

  /** The root writes an odd piece to all; barriers and signals between PEs are kernels. */
  BROADCAST_AND_BARRIERS {
    @Override
    void run(PeState s) throws Exception {
      KernelSteps.broadcastAndBarriers(s);
    }
  },

  /** Ends NVSHMEM and starts it again with a new id; what was made before is of no use after. */
  RESTART {
    @Override
    void run(PeState s) throws Exception {
      var old = s.buffer;
      s.runtime.finish(PeState.LIMIT);
      assertThrows(IllegalStateException.class, () -> s.barrier());
      PeSetup.start(s.runtime, s.folder, "again-" + s.seed, s.pe, s.peCount);
      assertThrows(IllegalStateException.class, old::local);
      old.close();
      s.buffer = s.runtime.allocate(PeState.BUFFER_BYTES, PeState.LIMIT);
      s.barrier();
    }
  },

  /** Fills the own buffer, for {@link #READ_ON}. */
  FILL {
    @Override
    void run(PeState s) throws Exception {
      s.write(s.local(0, 8 << 20), s.content(s.pe, 8 << 20));
      s.barrier();
    }
  },

  /**
   * After a PE has died: reads the buffers of all, the dead one's too, by copies and by a kernel.
   */
  READ_ON {
    @Override
    void run(PeState s) throws Exception {
      s.runtime.giveUp("a PE has died");
      assertThrows(NvshmemException.class, s::barrier);
      int bytes = 8 << 20;
      for (int pe = 0; pe < s.peCount; pe++) {
        byte[] theirs = s.content(pe, bytes);
        assertArrayEquals(theirs, s.read(s.peer(pe, 0, bytes)), "PE " + pe + " by copies");
        DeviceRange to = s.local(8 << 20, bytes);
        s.fill(to, (byte) 0);
        List<Piece> pieces = List.of(new Piece(s.peer(pe, 0, bytes), to, pe));
        try (KernelLaunch launch = s.kernels.pull(pieces, s.kernels.planFor(pieces, 1))) {
          launch.queue(s.stream);
          launch.await(s.stream, PeState.LIMIT);
        }
        assertArrayEquals(theirs, s.read(to), "PE " + pe + " by a kernel");
      }
    }
  },

  /** Ends the process as an executor ends, without a word to NVSHMEM. */
  END {
    @Override
    void run(PeState s) {
      s.kernels.close();
      s.runtime.close();
      System.exit(0);
    }
  };

  abstract void run(PeState s) throws Exception;

  static Team team(PeState s, Team.Predefined kind) {
    return s.runtime.call("a team", PeState.LIMIT, calls -> calls.team(kind));
  }
}
