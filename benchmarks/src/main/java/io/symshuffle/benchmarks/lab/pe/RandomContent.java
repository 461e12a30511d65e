// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Random data of a PE, which every PE can recompute: a pool that repeats. Its length is a prime
 * number of elements, so that misplaced bytes are wrong.
 */
final class RandomContent {
  private static final int POOL_BYTES = 8_388_593;
  private static final int POOL_FLOATS = 2_097_143;

  private final MemorySegment pool;

  private RandomContent(MemorySegment pool) {
    this.pool = pool;
  }

  static RandomContent bytes(long seed, int pe) {
    byte[] bytes = new byte[POOL_BYTES];
    random(seed, pe).nextBytes(bytes);
    return new RandomContent(MemorySegment.ofArray(bytes));
  }

  static RandomContent floats(long seed, int pe) {
    return new RandomContent(MemorySegment.ofArray(randomFloats(seed, pe)));
  }

  /** Returns the sums of the floats of PEs 0 to peCount - 1, as the CPU adds them. */
  static RandomContent sum(long seed, int peCount) {
    float[] sums = randomFloats(seed, 0);
    for (int pe = 1; pe < peCount; pe++) {
      float[] floats = randomFloats(seed, pe);
      for (int i = 0; i < sums.length; i++) {
        sums[i] += floats[i];
      }
    }
    return new RandomContent(MemorySegment.ofArray(sums));
  }

  /** Multiples of 1/64 below 128, whose sums over 64 PEs are exact in any order. */
  private static float[] randomFloats(long seed, int pe) {
    float[] floats = new float[POOL_FLOATS];
    SplittableRandom random = random(seed, pe);
    for (int i = 0; i < floats.length; i++) {
      floats[i] = random.nextInt(-8192, 8192) / 64f;
    }
    return floats;
  }

  private static SplittableRandom random(long seed, int pe) {
    return new SplittableRandom(seed * 31 + pe);
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
