// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.Piece;
import io.symshuffle.nvshmem.SymmetricBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What is exchanged.
 *
 * @param send what this PE sends
 * @param receive what it receives
 * @param pe number of this PE
 * @param peCount number of PEs
 */
record Buffers(SymmetricBuffer send, SymmetricBuffer receive, int pe, int peCount) {

  /** The k-th PE in this PE's turn: itself last, so that no two PEs start with the same. */
  int turn(int k) {
    return (pe + 1 + k) % peCount;
  }

  /** What a PE's send buffer has for another, as this GPU reaches it. */
  DeviceRange sendBlock(int owner, int to, long bytes) {
    return block(send, owner, to, bytes);
  }

  /** Where a PE receives from another, as this GPU reaches it. */
  DeviceRange receiveBlock(int owner, int from, long bytes) {
    return block(receive, owner, from, bytes);
  }

  /** All blocks that this PE reads, or writes, its own last. */
  List<Piece> pieces(boolean read, long bytes) {
    List<Piece> pieces = new ArrayList<>();
    for (int k = 0; k < peCount; k++) {
      int other = turn(k);
      int from = read ? other : pe;
      int to = read ? pe : other;
      pieces.add(new Piece(sendBlock(from, to, bytes), receiveBlock(to, from, bytes), other));
    }
    return pieces;
  }

  private DeviceRange block(SymmetricBuffer buffer, int owner, int index, long bytes) {
    long length = bytes / peCount;
    return buffer
        .peer(owner)
        .orElseThrow(() -> new IllegalStateException("PE " + owner + " is out of reach"))
        .slice(index * length, length);
  }
}
