// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.task;

import java.util.OptionalInt;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.BaseShuffleHandle;

/**
 * The handle of a shuffle of records that SymShuffle handles; Spark sends it from the driver to the
 * tasks.
 *
 * @param <C> value that the reader returns
 */
public final class RowShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
  private static final long serialVersionUID = 1L;
  private static final int NO_ROWS = -1;

  private final int rowFields;

  /**
   * @param rowFields number of columns of the rows, empty for serialized records
   */
  public RowShuffleHandle(
      int shuffleId, ShuffleDependency<K, V, C> dependency, OptionalInt rowFields) {
    super(shuffleId, dependency);
    this.rowFields = rowFields.orElse(NO_ROWS);
  }

  /** The number of columns, if the records are Spark SQL rows. */
  public OptionalInt rowFields() {
    return rowFields == NO_ROWS ? OptionalInt.empty() : OptionalInt.of(rowFields);
  }
}
