// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.layout.Tier;

/**
 * One serialized table of a map output, as listed in its index.
 *
 * @param place offset in the owner's window of that tier, or in the map output's file
 * @param bytes size of the data; 0 for a table without columns
 * @param rows number of rows, at least 1
 * @param checksum CRC32C of the data, 0 if not computed
 */
public record TableEntry(
    int partition, Tier tier, long place, long bytes, long rows, int checksum) {
  public TableEntry {
    if (partition < 0 || place < 0 || bytes < 0 || rows < 1 || place > Long.MAX_VALUE - bytes) {
      throw new IllegalArgumentException(
          "invalid table: %d rows and %d bytes at %d for partition %d"
              .formatted(rows, bytes, place, partition));
    }
  }
}
