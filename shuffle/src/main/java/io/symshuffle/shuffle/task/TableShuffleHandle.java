// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.task;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.BaseShuffleHandle;

/**
 * Marks a shuffle of packed tables as ours; travels from the driver to the tasks.
 *
 * @param <K> key
 * @param <V> value
 * @param <C> what the reader gives as value
 */
public final class TableShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
  private static final long serialVersionUID = 1L;

  /** A handle for a shuffle of packed tables. */
  public TableShuffleHandle(int shuffleId, ShuffleDependency<K, V, C> dependency) {
    super(shuffleId, dependency);
  }
}
