// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.record;

import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.executor.TaskMetrics;

/**
 * Shuffle metrics of tasks, summed as in Spark's UI.
 *
 * @param recordsWritten records passed to writers
 * @param bytesWritten bytes of the blocks written
 * @param recordsRead records returned by readers
 * @param localBytesRead bytes of blocks read from the reader's own executor
 * @param remoteBytesRead bytes of blocks read from other executors
 * @param localBlocks blocks read from the reader's own executor
 * @param remoteBlocks blocks read from other executors
 * @param diskBytesSpilled bytes spilled by operators and sort shuffle
 */
public record ShuffleTotals(
    long recordsWritten,
    long bytesWritten,
    long recordsRead,
    long localBytesRead,
    long remoteBytesRead,
    long localBlocks,
    long remoteBlocks,
    long diskBytesSpilled) {
  /** All zero. */
  public static final ShuffleTotals ZERO = new ShuffleTotals(0, 0, 0, 0, 0, 0, 0, 0);

  static ShuffleTotals of(TaskMetrics task) {
    ShuffleWriteMetrics write = task.shuffleWriteMetrics();
    ShuffleReadMetrics read = task.shuffleReadMetrics();
    return new ShuffleTotals(
        write.recordsWritten(),
        write.bytesWritten(),
        read.recordsRead(),
        read.localBytesRead(),
        read.remoteBytesRead(),
        read.localBlocksFetched(),
        read.remoteBlocksFetched(),
        task.diskBytesSpilled());
  }

  /** Returns the sum of both. */
  public ShuffleTotals plus(ShuffleTotals other) {
    return new ShuffleTotals(
        recordsWritten + other.recordsWritten,
        bytesWritten + other.bytesWritten,
        recordsRead + other.recordsRead,
        localBytesRead + other.localBytesRead,
        remoteBytesRead + other.remoteBytesRead,
        localBlocks + other.localBlocks,
        remoteBlocks + other.remoteBlocks,
        diskBytesSpilled + other.diskBytesSpilled);
  }

  /** Returns bytes read from anywhere. */
  public long bytesRead() {
    return localBytesRead + remoteBytesRead;
  }

  /** Returns blocks read from anywhere. */
  public long blocksRead() {
    return localBlocks + remoteBlocks;
  }
}
