// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.report.RunInfo;
import java.util.Map;

/**
 * The results of a soak.
 *
 * @param info the circumstances of the run
 * @param seed the random seed
 * @param seconds duration
 * @param applications number of applications started with SymShuffle
 * @param jobs number of queries run with SymShuffle
 * @param faults number of injected faults by point and kind; those of {@link OutsideFaults}, {@code
 *     heaps.lost} and {@code query.again} are external
 * @param allFaults their sum
 * @param answersCompared number of answers compared with the sort shuffle's
 * @param differences number of different answers
 * @param failedJobs number of jobs without an answer
 * @param hangs number of jobs that exceeded the time limit or whose application died
 * @param killedByKernel number of processes that exceeded a memory limit
 * @param leakedHeapBytes heap memory in use after all shuffles were removed, on hosts and GPUs
 * @param leakedFiles number of unused files, during or after the application
 * @param leakedMappings number of windows that executors mapped although their file was deleted
 * @param leakedGpuBytes GPU memory in use after applications had ended, beyond that before them
 * @param historyEvents number of events in the histories of executors, see {@link
 *     io.symshuffle.benchmarks.history.HistoryCheck}
 * @param historyOverlaps number of reads whose bytes were freed, released or unmapped meanwhile
 * @param historyLost number of lookups that did not find a published map output
 * @param historyReadsWithoutLease number of reads without a lease
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
    long killedByKernel,
    long leakedHeapBytes,
    long leakedFiles,
    long leakedMappings,
    long leakedGpuBytes,
    long historyEvents,
    long historyOverlaps,
    long historyLost,
    long historyReadsWithoutLease) {}
