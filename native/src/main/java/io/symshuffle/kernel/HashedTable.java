// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import java.util.List;

/**
 * A table in GPU memory whose rows {@link Kernels#rowHashes} hashes. The hash of a row is that of
 * Spark's function {@code xxhash64} with this seed over all columns.
 *
 * @param seed the hash of a row without columns, or with only nulls
 * @param rows number of rows, 0 or more
 * @param columns the columns, in their order
 */
public record HashedTable(long seed, int rows, List<TableColumn> columns) {
  /**
   * @throws IllegalArgumentException if the memory of a column is too short or not aligned
   */
  public HashedTable {
    if (rows < 0) {
      throw new IllegalArgumentException("a table of " + rows + " rows");
    }
    columns = List.copyOf(columns);
    for (TableColumn column : columns) {
      column.check(rows);
    }
  }
}
