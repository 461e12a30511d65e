// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import java.util.List;
import org.apache.spark.TaskContext;

/**
 * Reads the records of one reduce task in place: map outputs are added first, then cursors over
 * their blocks are opened. Used by one task thread, which holds a lease on the shuffle.
 */
public interface RowReads extends LocalReads {
  /**
   * Opens cursors over the blocks of the added map outputs, to be read in this order.
   *
   * @param context closes the cursors when the task ends
   */
  List<BlockCursor> open(TaskContext context);

  /** Creates the reads of reduce tasks. */
  @FunctionalInterface
  interface Factory {
    /** Starts without map outputs. The caller must hold a lease on the shuffle. */
    RowReads start(ReadTask task);
  }
}
