// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.task;

import java.util.OptionalInt;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.BaseShuffleHandle;

/**
 * Marks a shuffle as ours; travels from the driver to the tasks.
 *
 * @param <K> key
 * @param <V> value
 * @param <C> what the reader gives as value
 */
public final class SymShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
  private static final long serialVersionUID = 1L;
  private static final int NO_ROWS = -1;

  private final int rowFields;

  /**
   * A handle for a shuffle of rows, or of serialized records.
   *
   * @param rowFields the rows' number of columns, empty for serialized records
   */
  public SymShuffleHandle(
      int shuffleId, ShuffleDependency<K, V, C> dependency, OptionalInt rowFields) {
    super(shuffleId, dependency);
    this.rowFields = rowFields.orElse(NO_ROWS);
  }

  /** Number of columns if the records are Spark SQL's rows. */
  public OptionalInt rowFields() {
    return rowFields == NO_ROWS ? OptionalInt.empty() : OptionalInt.of(rowFields);
  }
}
