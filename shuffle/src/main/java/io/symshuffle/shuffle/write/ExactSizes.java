// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import java.util.Arrays;

/**
 * Limits the number of sizes that Spark keeps for a map output with many partitions. Of more than
 * 2,000 it keeps an average, and the sizes that are at least the hundredth largest and several
 * times the median. Of blocks with one row each there can be thousands of the hundredth largest
 * size, and the driver would keep all of them for each map output.
 */
final class ExactSizes {
  /** How many sizes Spark should keep, the default of its own limit. */
  static final int MAX = 100;

  private ExactSizes() {}

  /** Makes some of the largest sizes larger by a byte, so that at most {@link #MAX} are kept. */
  static void limit(long[] sizes) {
    if (sizes.length <= MAX) {
      return;
    }
    long[] ascending = sizes.clone();
    Arrays.sort(ascending);
    long least = ascending[sizes.length - MAX];
    // Empty blocks stay empty: readers would look for them.
    if (least == 0 || ascending[sizes.length - MAX - 1] < least) {
      return;
    }
    int left = MAX;
    for (long size : sizes) {
      left -= size > least ? 1 : 0;
    }
    for (int i = 0; left > 0; i++) {
      if (sizes[i] == least) {
        sizes[i]++;
        left--;
      }
    }
  }
}
