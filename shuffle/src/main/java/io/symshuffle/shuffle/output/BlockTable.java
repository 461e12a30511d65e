// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

/**
 * The blocks of one run, one per partition with records, in ascending order.
 *
 * @param partitions int[count], ascending
 * @param starts int[count + 1], where each block starts in the run in units of 8 bytes (unsigned),
 *     and the end of the last
 * @param checksums int[count], CRC32C of each block, or zeros if checksums are off
 */
@SuppressWarnings("ArrayRecordComponent") // passed once, never compared
public record BlockTable(int count, int[] partitions, int[] starts, int[] checksums) {
  public BlockTable {
    if (count < 1
        || partitions.length < count
        || starts.length < count + 1
        || checksums.length < count) {
      throw new IllegalArgumentException(
          "arrays for %d blocks have %d partitions, %d starts and %d checksums"
              .formatted(count, partitions.length, starts.length, checksums.length));
    }
  }
}
