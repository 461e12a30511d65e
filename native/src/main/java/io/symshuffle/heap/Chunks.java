// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.util.BitSet;

/** Which chunks have memory behind them and how many slabs touch each. Not thread-safe. */
final class Chunks {
  private final ChunkGrid grid;
  private final int[] users;
  private final BitSet backed = new BitSet();

  /** Backed and touched by no slab: may be released. */
  private final BitSet idle = new BitSet();

  /** Not backed, but perhaps in part: reserving has failed there. */
  private final BitSet torn = new BitSet();

  private long backedBytes;

  Chunks(ChunkGrid grid) {
    this.grid = grid;
    this.users = new int[grid.count()];
  }

  long backedBytes() {
    return backedBytes;
  }

  /** The chunks under a range that have no memory yet. */
  BitSet cold(long offset, long bytes) {
    BitSet cold = new BitSet();
    cold.set(grid.of(offset), grid.of(offset + bytes - 1) + 1);
    cold.andNot(backed);
    return cold;
  }

  /** How many chunks under a range have no memory yet. */
  int coldCount(long offset, long bytes) {
    int first = grid.of(offset);
    int last = grid.of(offset + bytes - 1);
    return last - first + 1 - backed.get(first, last + 1).cardinality();
  }

  /** A slab was placed on a range. */
  void use(long offset, long bytes) {
    int first = grid.of(offset);
    int last = grid.of(offset + bytes - 1);
    for (int chunk = first; chunk <= last; chunk++) {
      users[chunk]++;
    }
    idle.clear(first, last + 1);
  }

  /** A slab went away from a range. */
  void unuse(long offset, long bytes) {
    int last = grid.of(offset + bytes - 1);
    for (int chunk = grid.of(offset); chunk <= last; chunk++) {
      if (--users[chunk] == 0 && backed.get(chunk)) {
        idle.set(chunk);
      }
    }
  }

  /** A chunk has memory from now on. */
  void setBacked(int chunk) {
    if (!backed.get(chunk)) {
      backed.set(chunk);
      torn.clear(chunk);
      backedBytes += grid.bytes(chunk);
      if (users[chunk] == 0) {
        idle.set(chunk);
      }
    }
  }

  /** Reserving a chunk has failed on the way. */
  void setTorn(int chunk) {
    torn.set(chunk, !backed.get(chunk));
  }

  /** A torn chunk that no slab touches, -1 when there is none. */
  int anyTornUnused() {
    int chunk = torn.nextSetBit(0);
    while (chunk >= 0 && users[chunk] > 0) {
      chunk = torn.nextSetBit(chunk + 1);
    }
    return chunk;
  }

  /** A chunk has no memory from now on. */
  void clearBacked(int chunk) {
    torn.clear(chunk);
    if (backed.get(chunk)) {
      backed.clear(chunk);
      idle.clear(chunk);
      backedBytes -= grid.bytes(chunk);
    }
  }

  /** The highest chunk that may be released, -1 when there is none. */
  int highestIdle() {
    return idle.length() - 1;
  }

  boolean isIdle(int chunk) {
    return idle.get(chunk);
  }
}
