// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * The random bytes that a PE sends, which every PE can recompute: a pool that repeats. Its length
 * is a prime, so that misplaced bytes are wrong.
 */
final class RandomContent {
  private static final int POOL_BYTES = 8_388_593;

  private final MemorySegment pool;

  RandomContent(long seed, int pe) {
    byte[] bytes = new byte[POOL_BYTES];
    new SplittableRandom(seed * 31 + pe).nextBytes(bytes);
    pool = MemorySegment.ofArray(bytes);
  }

  /** Writes bytes [offset, offset + length of the segment) of the PE's data. */
  void write(long offset, MemorySegment to) {
    for (long done = 0; done < to.byteSize(); ) {
      long from = (offset + done) % POOL_BYTES;
      long length = Math.min(POOL_BYTES - from, to.byteSize() - done);
      MemorySegment.copy(pool, JAVA_BYTE, from, to, JAVA_BYTE, done, length);
      done += length;
    }
  }

  /** Returns whether a segment has bytes [offset, offset + its length) of the PE's data. */
  boolean matches(long offset, MemorySegment bytes) {
    for (long done = 0; done < bytes.byteSize(); ) {
      long from = (offset + done) % POOL_BYTES;
      long length = Math.min(POOL_BYTES - from, bytes.byteSize() - done);
      if (MemorySegment.mismatch(pool, from, from + length, bytes, done, done + length) >= 0) {
        return false;
      }
      done += length;
    }
    return true;
  }
}
