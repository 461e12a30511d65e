// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.cli.alltoall;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.nvshmem.SymmetricBuffer;

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

  private DeviceRange block(SymmetricBuffer buffer, int owner, int index, long bytes) {
    long length = bytes / peCount;
    return buffer
        .peer(owner)
        .orElseThrow(() -> new IllegalStateException("PE " + owner + " is out of reach"))
        .slice(index * length, length);
  }
}
