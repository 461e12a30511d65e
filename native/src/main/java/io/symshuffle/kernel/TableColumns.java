// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import java.util.List;

/**
 * A table in GPU memory whose rows are hashed, or which is a part of a longer one.
 *
 * @param rows number of rows, 0 or more
 * @param columns the columns, in their order
 */
public record TableColumns(int rows, List<TableColumn> columns) {
  /**
   * @throws IllegalArgumentException if the memory of a column is too short or not aligned
   */
  public TableColumns {
    if (rows < 0) {
      throw new IllegalArgumentException("a table of " + rows + " rows");
    }
    columns = List.copyOf(columns);
    for (TableColumn column : columns) {
      column.check(rows);
    }
  }
}
