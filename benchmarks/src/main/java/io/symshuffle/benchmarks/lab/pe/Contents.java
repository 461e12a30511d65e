// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What a PE sends and what it must then have.
 *
 * @param sent content of the send buffer
 * @param received what the receive buffer must have: one content per block
 * @param blockIndex which block of each of these contents
 */
record Contents(RandomContent sent, List<RandomContent> received, int blockIndex) {

  static Contents of(long seed, int pe, int peCount) {
    List<RandomContent> all =
        IntStream.range(0, peCount).mapToObj(from -> RandomContent.bytes(seed, from)).toList();
    return new Contents(all.get(pe), all, pe);
  }

  /** Checks a part of the receive buffer. */
  @FunctionalInterface
  interface Check {
    /** Returns whether bytes [at, at + bytes) are the content's from an offset on. */
    boolean matches(long at, long bytes, RandomContent content, long offset) throws Exception;
  }

  /** Returns whether all parts of a receive buffer are right. */
  boolean areIn(long bytes, Check check) throws Exception {
    long block = bytes / received.size();
    for (int i = 0; i < received.size(); i++) {
      if (!check.matches(i * block, block, received.get(i), blockIndex * block)) {
        return false;
      }
    }
    return true;
  }
}
