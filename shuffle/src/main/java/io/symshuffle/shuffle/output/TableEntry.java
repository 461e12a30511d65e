// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;

/**
 * One packed table of a map output, as its index lists it.
 *
 * @param partition that its rows belong to
 * @param tier where its data is
 * @param place offset in the owner's window of that tier, or in the map output's file
 * @param bytes of data; 0 for a table of rows without bytes
 * @param rows number of rows, 1 or more
 * @param metadata what the columnar engine needs to find the columns in the data; empty for a table
 *     without columns
 * @param checksum CRC32C of the data, 0 where there is none
 */
public record TableEntry(
    int partition,
    Tier tier,
    long place,
    long bytes,
    long rows,
    MemorySegment metadata,
    int checksum) {
  /** Checks that the numbers can be a table's. */
  public TableEntry {
    requireNonNull(tier, "tier is null");
    requireNonNull(metadata, "metadata is null");
    if (partition < 0 || place < 0 || bytes < 0 || rows < 1 || place > Long.MAX_VALUE - bytes) {
      throw new IllegalArgumentException(
          "a table of %d rows and %d bytes at %d for partition %d"
              .formatted(rows, bytes, place, partition));
    }
  }

  /** Whether it has columns. */
  public boolean hasColumns() {
    return metadata.byteSize() > 0;
  }
}
