// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Random data of a PE, which every PE can recompute: a pool that repeats. Its length is a prime
 * number, so that misplaced bytes are wrong.
 */
final class RandomContent {
  private static final int POOL_BYTES = 8_388_593;

  private final MemorySegment pool;

  private RandomContent(MemorySegment pool) {
    this.pool = pool;
  }

  static RandomContent of(int pe) {
    byte[] bytes = new byte[POOL_BYTES];
    new SplittableRandom(pe).nextBytes(bytes);
    return new RandomContent(MemorySegment.ofArray(bytes));
  }

  /** Writes bytes [offset, offset + length of the segment) of the data. */
  void write(long offset, MemorySegment to) {
    for (long done = 0; done < to.byteSize(); ) {
      long from = (offset + done) % pool.byteSize();
      long length = Math.min(pool.byteSize() - from, to.byteSize() - done);
      MemorySegment.copy(pool, from, to, done, length);
      done += length;
    }
  }

  /** Returns whether a segment has bytes [offset, offset + its length) of the data. */
  boolean matches(long offset, MemorySegment bytes) {
    for (long done = 0; done < bytes.byteSize(); ) {
      long from = (offset + done) % pool.byteSize();
      long length = Math.min(pool.byteSize() - from, bytes.byteSize() - done);
      if (MemorySegment.mismatch(pool, from, from + length, bytes, done, done + length) >= 0) {
        return false;
      }
      done += length;
    }
    return true;
  }
}
