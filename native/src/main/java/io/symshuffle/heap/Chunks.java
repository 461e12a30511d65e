// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.util.BitSet;

/** Tracks which chunks are backed by memory and how many slabs overlap each. Not thread-safe. */
final class Chunks {
  private final ChunkGrid grid;
  private final int[] users;
  private final BitSet backed = new BitSet();

  /** Backed, but not used by any slab: may be released. */
  private final BitSet idle = new BitSet();

  /** Perhaps partly backed, since reserving them failed. */
  private final BitSet partial = new BitSet();

  private long backedBytes;

  Chunks(ChunkGrid grid) {
    this.grid = grid;
    this.users = new int[grid.count()];
  }

  long backedBytes() {
    return backedBytes;
  }

  /** Returns the chunks of a range that are not backed. */
  BitSet unbacked(long offset, long bytes) {
    BitSet unbacked = new BitSet();
    unbacked.set(grid.of(offset), grid.of(offset + bytes - 1) + 1);
    unbacked.andNot(backed);
    return unbacked;
  }

  /** Returns the number of chunks of a range that are not backed. */
  int unbackedCount(long offset, long bytes) {
    int first = grid.of(offset);
    int last = grid.of(offset + bytes - 1);
    return last - first + 1 - backed.get(first, last + 1).cardinality();
  }

  boolean isBacked(int chunk) {
    return backed.get(chunk);
  }

  /** Returns whether no part of a chunk is backed. */
  boolean isEmpty(int chunk) {
    return !backed.get(chunk) && !partial.get(chunk);
  }

  /** Records that a slab was placed on a range. */
  void use(long offset, long bytes) {
    int first = grid.of(offset);
    int last = grid.of(offset + bytes - 1);
    for (int chunk = first; chunk <= last; chunk++) {
      users[chunk]++;
    }
    idle.clear(first, last + 1);
  }

  /** Records that a slab was removed from a range. */
  void unuse(long offset, long bytes) {
    int last = grid.of(offset + bytes - 1);
    for (int chunk = grid.of(offset); chunk <= last; chunk++) {
      if (--users[chunk] == 0 && backed.get(chunk)) {
        idle.set(chunk);
      }
    }
  }

  void setBacked(int chunk) {
    if (!backed.get(chunk)) {
      backed.set(chunk);
      partial.clear(chunk);
      backedBytes += grid.bytes(chunk);
      if (users[chunk] == 0) {
        idle.set(chunk);
      }
    }
  }

  /** Records that reserving a chunk failed, perhaps halfway. */
  void setPartial(int chunk) {
    partial.set(chunk, !backed.get(chunk));
  }

  /** Returns a partly backed chunk that no slab uses, -1 when there is none. */
  int anyUnusedPartial() {
    int chunk = partial.nextSetBit(0);
    while (chunk >= 0 && users[chunk] > 0) {
      chunk = partial.nextSetBit(chunk + 1);
    }
    return chunk;
  }

  /** Records that a chunk is not backed. */
  void clearBacked(int chunk) {
    partial.clear(chunk);
    if (backed.get(chunk)) {
      backed.clear(chunk);
      idle.clear(chunk);
      backedBytes -= grid.bytes(chunk);
    }
  }

  /** Returns the highest chunk that may be released, -1 when there is none. */
  int highestIdle() {
    return idle.length() - 1;
  }

  boolean isIdle(int chunk) {
    return idle.get(chunk);
  }
}
