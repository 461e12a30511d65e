// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.nvshmem.NvshmemException;
import io.symshuffle.nvshmem.PeSetup;
import java.util.List;

/** Steps that PEs run concurrently, all PEs unless noted otherwise. */
enum DeviceStep {
  /** Pulls pieces of all sizes and alignments from every PE with one kernel. */
  PULL {
    @Override
    void run(PeState s) throws Exception {
      CopySteps.pull(s);
    }
  },

  /** Computes checksums of pieces of all PEs. */
  CRC32C_OF_PIECES {
    @Override
    void run(PeState s) throws Exception {
      KernelSteps.crc32cOfPieces(s);
    }
  },

  /** Checks serialized tables, right and damaged ones. */
  CHECKED_TABLES {
    @Override
    void run(PeState s) throws Exception {
      new TableCheck(s).run();
      s.barrier();
    }
  },

  /** Packs tables, unpacks them, and compares them with those that the CPU decodes. */
  PACKED_TABLES {
    @Override
    void run(PeState s) throws Exception {
      KernelSteps.packedTables(s);
    }
  },

  /** Finishes NVSHMEM and starts it again with a new id; buffers of the first start refuse use. */
  RESTART {
    @Override
    void run(PeState s) throws Exception {
      var old = s.buffer;
      s.runtime.finish(PeState.LIMIT);
      assertThrows(IllegalStateException.class, () -> s.barrier());
      PeSetup.start(s.runtime, s.folder, "again-" + s.seed, s.pe, s.peCount);
      assertThrows(IllegalStateException.class, () -> old.peer(s.pe));
      old.close();
      s.buffer = s.runtime.allocate(PeState.BUFFER_BYTES, PeState.LIMIT);
      s.barrier();
    }
  },

  /** Fills this PE's buffer, for {@link #READ_ON}. */
  FILL {
    @Override
    void run(PeState s) throws Exception {
      s.write(s.local(0, 8 << 20), s.content(s.pe, 8 << 20));
      s.barrier();
    }
  },

  /**
   * After a PE has died, reads the buffers of all PEs, including the dead one's, with copies and
   * with a kernel.
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

  /** Exits like an executor, without finishing NVSHMEM. */
  END {
    @Override
    void run(PeState s) {
      s.kernels.close();
      s.runtime.close();
      System.exit(0);
    }
  };

  abstract void run(PeState s) throws Exception;
}
