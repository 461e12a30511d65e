// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.util.List;
import org.apache.spark.TaskContext;

/**
 * The records that one reduce task reads in place: takes map outputs first, then opens cursors over
 * their blocks. Used by one task thread, which holds a lease on the shuffle.
 */
public interface RowReads extends LocalReads {
  /**
   * Opens cursors over the blocks of what was taken, to be read in this order.
   *
   * @param context ends them
   */
  List<BlockCursor> open(TaskContext context);

  /** Starts the reading of one reduce task. */
  @FunctionalInterface
  interface Factory {
    /** Starts with nothing taken. The caller holds a lease on the shuffle. */
    RowReads start(ShuffleRuntime runtime, ReadTask task);
  }
}
