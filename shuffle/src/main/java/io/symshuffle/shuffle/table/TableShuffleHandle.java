// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.BaseShuffleHandle;

/**
 * The handle of a shuffle of packed tables; Spark sends it from the driver to the tasks.
 *
 * @param <C> value that the reader returns
 */
public final class TableShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
  private static final long serialVersionUID = 1L;

  private final boolean rowChecksums;

  public TableShuffleHandle(
      int shuffleId, ShuffleDependency<K, V, C> dependency, boolean rowChecksums) {
    super(shuffleId, dependency);
    this.rowChecksums = rowChecksums;
  }

  /** Whether map tasks compute row checksums. */
  public boolean rowChecksums() {
    return rowChecksums;
  }
}
