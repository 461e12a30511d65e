// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

/**
 * Spark's task metrics of the shuffles of a query, summed over its tasks.
 *
 * @param shuffles stages that wrote map outputs, without skipped ones
 * @param bytesWritten bytes of map outputs
 * @param recordsWritten rows written
 * @param writeSeconds time that tasks spent writing, as the shuffle manager reports it
 * @param bytesRead bytes that reducers read
 * @param runSeconds time that all tasks ran
 * @param gcSeconds time that executors spent on garbage collection meanwhile, once for each task
 * @param spilledBytes what sorts and aggregations wrote to local folders, for lack of memory
 */
public record ShuffleFigures(
    long shuffles,
    long tasks,
    long bytesWritten,
    long recordsWritten,
    double writeSeconds,
    long bytesRead,
    double fetchWaitSeconds,
    double runSeconds,
    double gcSeconds,
    long spilledBytes) {
  /** No task, no shuffle. */
  public static final ShuffleFigures NONE = new ShuffleFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Returns the difference to earlier figures. */
  public ShuffleFigures since(ShuffleFigures earlier) {
    return new ShuffleFigures(
        shuffles - earlier.shuffles,
        tasks - earlier.tasks,
        bytesWritten - earlier.bytesWritten,
        recordsWritten - earlier.recordsWritten,
        writeSeconds - earlier.writeSeconds,
        bytesRead - earlier.bytesRead,
        fetchWaitSeconds - earlier.fetchWaitSeconds,
        runSeconds - earlier.runSeconds,
        gcSeconds - earlier.gcSeconds,
        spilledBytes - earlier.spilledBytes);
  }
}
