// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import java.util.List;

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
  public static final ShuffleFigures NONE = of(List.of());

  /** Returns the sums over stages. */
  public static ShuffleFigures of(List<StageFigures> stages) {
    return new ShuffleFigures(
        stages.stream().filter(StageFigures::shuffles).count(),
        stages.stream().mapToLong(StageFigures::tasks).sum(),
        stages.stream().mapToLong(StageFigures::bytesWritten).sum(),
        stages.stream().mapToLong(StageFigures::recordsWritten).sum(),
        stages.stream().mapToDouble(StageFigures::writeSeconds).sum(),
        stages.stream().mapToLong(StageFigures::bytesRead).sum(),
        stages.stream().mapToDouble(StageFigures::fetchWaitSeconds).sum(),
        stages.stream().mapToDouble(StageFigures::runSeconds).sum(),
        stages.stream().mapToDouble(StageFigures::gcSeconds).sum(),
        stages.stream().mapToLong(StageFigures::spilledBytes).sum());
  }
}
