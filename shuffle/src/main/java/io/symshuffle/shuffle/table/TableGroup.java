// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.DeviceRange;
import java.util.List;

/**
 * Tables of one batch that are stored together.
 *
 * @param tables the tables
 * @param stored the bytes of each that are stored, one after the other
 * @param data all these bytes
 * @param plainChecksums CRC32C of each before it was packed: int[tables]; null if not packed
 */
record TableGroup(
    List<SplitBatch.Table> tables,
    List<DeviceRange> stored,
    DeviceRange data,
    int[] plainChecksums) {
  /**
   * Tables as they are, which follow each other in a batch. Between them may be bytes of empty
   * ones: RAPIDS writes a header for each partition.
   */
  static TableGroup of(SplitBatch batch, List<SplitBatch.Table> tables) {
    long start = tables.getFirst().offset();
    long end = tables.getLast().offset() + tables.getLast().bytes();
    return new TableGroup(
        tables,
        tables.stream().map(batch::data).toList(),
        batch.data().slice(start, end - start),
        null);
  }

  /**
   * The same tables packed.
   *
   * @param packed where each is
   * @param all all packed bytes
   * @param checksums CRC32C of each as it was before, 0 if not computed
   */
  TableGroup packed(List<DeviceRange> packed, DeviceRange all, int[] checksums) {
    return new TableGroup(tables, packed, all, checksums);
  }

  boolean isPacked() {
    return plainChecksums != null;
  }

  /** Where a table starts in the bytes of all. */
  long offset(int table) {
    return stored.get(table).address() - data.address();
  }

  /** Bytes of the tables, as they were before they were packed. */
  long plainBytes() {
    return tables.stream().mapToLong(SplitBatch.Table::bytes).sum();
  }
}
