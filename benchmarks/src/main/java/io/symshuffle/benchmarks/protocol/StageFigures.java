// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import java.util.Map;

/**
 * Spark's metrics of an attempt of a stage, summed over its tasks except for {@code seconds}.
 *
 * @param tasks those that succeeded; further attempts run again what was lost with an executor
 * @param shuffles whether it wrote map outputs
 * @param seconds from its submission to its end
 * @param runSeconds time that tasks ran
 * @param cpuSeconds CPU time of the tasks' own threads
 * @param gcSeconds time that executors spent on garbage collection meanwhile
 * @param fetchWaitSeconds time that tasks waited for blocks of other executors
 * @param remoteBytesRead bytes that tasks read from other executors
 * @param bytesRead bytes that tasks read from map outputs
 * @param writeSeconds time that tasks spent writing map outputs
 * @param bytesWritten bytes of map outputs
 * @param spilledBytes what sorts and aggregations wrote to local folders, for lack of memory
 * @param gpu seconds by metric of the RAPIDS Accelerator, such as {@code gpuTime}, during which
 *     tasks held the GPU, and {@code gpuSemaphoreWait}, during which they waited for it
 */
public record StageFigures(
    int stage,
    int tasks,
    boolean shuffles,
    double seconds,
    double runSeconds,
    double cpuSeconds,
    double gcSeconds,
    double fetchWaitSeconds,
    long remoteBytesRead,
    long bytesRead,
    double writeSeconds,
    long bytesWritten,
    long recordsWritten,
    long spilledBytes,
    Map<String, Double> gpu) {
  public StageFigures {
    gpu = Map.copyOf(gpu);
  }
}
