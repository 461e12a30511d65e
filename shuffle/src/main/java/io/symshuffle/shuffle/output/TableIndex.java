// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.TableIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The index of a map output of tables. */
public final class TableIndex extends OutputIndex {
  private TableIndex(MapOutputId id, MemorySegment index) {
    super(id, index, TableIndexDescriptor.MAGIC, TableIndexDescriptor.TABLE_BYTES);
  }

  /**
   * Checks an index.
   *
   * @param id the map output whose index it should be
   * @param index all its bytes, 8-byte aligned
   * @throws CorruptIndexException if it is torn, damaged or belongs to another map output
   */
  public static TableIndex open(MapOutputId id, MemorySegment index) {
    return new TableIndex(id, index);
  }

  /** Number of tables. */
  public int tables() {
    return entries;
  }

  /**
   * The first table whose partition is at least {@code partition}; {@link #tables()} if there is
   * none.
   */
  public int first(int partition) {
    int low = 0;
    int high = entries;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (partitionOf(middle) < partition) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Returns a table.
   *
   * @param number 0 to {@link #tables()} - 1
   */
  public TableEntry table(int number) {
    long entry = entry(number);
    try {
      return new TableEntry(
          partitionOf(number),
          Tier.ofCode(index.get(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.TIER_OFFSET)),
          index.get(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.PLACE_OFFSET),
          index.get(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.DATA_BYTES_OFFSET),
          index.get(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.PACKED_BYTES_OFFSET),
          index.get(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.ROWS_OFFSET),
          index.get(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.DATA_CRC_OFFSET),
          index.get(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.PACKED_CRC_OFFSET));
    } catch (IllegalArgumentException e) {
      throw new CorruptIndexException(id, "table %d: %s".formatted(number, e.getMessage()));
    }
  }

  private int partitionOf(int number) {
    return index.get(ValueLayout.JAVA_INT, entry(number) + TableIndexDescriptor.PARTITION_OFFSET);
  }
}
