// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The buffers of an exchange. */
record Buffers(Windows send, Windows receive, int pe, int peCount) {

  /** A buffer of all PEs. */
  @FunctionalInterface
  interface Windows {
    /** Returns the buffer of a PE, as mapped on this GPU; empty when it is not mapped. */
    Optional<DeviceRange> peer(int pe);

    default DeviceRange mapped(int pe) {
      return peer(pe).orElseThrow(() -> new IllegalStateException("PE " + pe + " is not mapped"));
    }
  }

  /** Returns whether this PE can write other PEs' receive buffers. */
  boolean canPush() {
    return receive.peer(turn(0)).isPresent();
  }

  /** Returns the start of this PE's send buffer. */
  DeviceRange sent(long bytes) {
    return own(send, bytes);
  }

  /** Returns the start of this PE's receive buffer. */
  DeviceRange received(long bytes) {
    return own(receive, bytes);
  }

  private DeviceRange own(Windows buffer, long bytes) {
    return buffer.mapped(pe).slice(0, bytes);
  }

  /**
   * Returns the k-th PE in this PE's order: itself last, so that no two PEs start with the same PE.
   */
  int turn(int k) {
    return (pe + 1 + k) % peCount;
  }

  /** Returns the block of a PE's send buffer for another PE, as mapped on this GPU. */
  DeviceRange sendBlock(int owner, int to, long bytes) {
    return block(send, owner, to, bytes);
  }

  /** Returns the block of a PE's receive buffer from another PE, as mapped on this GPU. */
  DeviceRange receiveBlock(int owner, int from, long bytes) {
    return block(receive, owner, from, bytes);
  }

  /** Returns all blocks that this PE reads, its own last. */
  List<Piece> pieces(long bytes) {
    List<Piece> pieces = new ArrayList<>();
    for (int k = 0; k < peCount; k++) {
      int from = turn(k);
      pieces.add(new Piece(sendBlock(from, pe, bytes), receiveBlock(pe, from, bytes), from));
    }
    return pieces;
  }

  private DeviceRange block(Windows buffer, int owner, int index, long bytes) {
    long length = bytes / peCount;
    return buffer.mapped(owner).slice(index * length, length);
  }
}
