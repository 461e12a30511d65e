// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.DeviceRange;
import java.util.List;

/**
 * Rows of one input batch of a map task, serialized by the columnar engine into one buffer of GPU
 * memory: the rows of each partition are a table in a contiguous part of it.
 *
 * @param tables the tables, in the order of their bytes; several may have the same partition
 * @param data the buffer; empty for a batch without columns
 * @param rowHash the sum of the hashes of all rows, modulo 2^64, see {@link TableEngine#split}; 0
 *     if none were computed
 * @param release returns the memory to the engine; does nothing the second time
 */
public record SplitBatch(List<Table> tables, DeviceRange data, long rowHash, Runnable release)
    implements AutoCloseable {
  /**
   * The rows of one partition.
   *
   * @param rows number of rows, at least 1
   * @param offset of the first byte in the buffer
   * @param bytes size of the serialized table; 0 only without columns
   */
  public record Table(int partition, long rows, long offset, long bytes) {}

  /** Copies the list of tables. */
  public SplitBatch {
    tables = List.copyOf(tables);
  }

  /** The bytes of a table. */
  DeviceRange data(Table table) {
    return data.slice(table.offset, table.bytes);
  }

  /** Returns the memory to the engine, after the last copy is done. */
  @Override
  public void close() {
    release.run();
  }
}
