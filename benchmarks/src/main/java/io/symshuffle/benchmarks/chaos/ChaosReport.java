// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.report.RunInfo;
import java.util.Map;

/**
 * The outcome of a soak.
 *
 * @param info where and with what it ran
 * @param seed what everything random followed from
 * @param seconds how long it took
 * @param applications how many applications with our shuffle were started
 * @param jobs queries that were run on our shuffle
 * @param faults faults that struck, by point and kind; {@code executor.sigkill} came from outside
 * @param allFaults their sum
 * @param answersCompared answers that were compared with the sort shuffle's
 * @param differences answers that were not the same
 * @param failedJobs jobs that gave no answer
 * @param hangs jobs that took longer than the limit, or whose application died
 * @param leakedHeapBytes heap memory in use when every shuffle was over
 * @param leakedFiles files that nobody needed, while the application ran or after it
 * @param leakedMappings windows mapped by executors whose file was gone
 */
record ChaosReport(
    RunInfo info,
    long seed,
    double seconds,
    int applications,
    int jobs,
    Map<String, Long> faults,
    long allFaults,
    int answersCompared,
    int differences,
    int failedJobs,
    int hangs,
    long leakedHeapBytes,
    long leakedFiles,
    long leakedMappings) {}
