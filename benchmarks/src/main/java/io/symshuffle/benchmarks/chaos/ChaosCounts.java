// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.history.HistoryCheck;
import java.util.Map;
import java.util.TreeMap;

/** The counters of a soak. Used by one thread, except for {@link #fault}. */
final class ChaosCounts {
  int jobs;
  int compared;
  int differences;
  int failures;
  int hangs;
  int applications;
  long killedByKernel;
  long leakedBytes;
  long leakedFiles;
  long leakedMappings;
  long leakedGpuBytes;
  long historyEvents;
  long historyOverlaps;
  long historyLost;
  long historyUnleased;
  final Map<String, Long> faults = new TreeMap<>();

  synchronized void fault(String kind) {
    faults.merge(kind, 1L, Long::sum);
  }

  synchronized long allFaults() {
    return faults.values().stream().mapToLong(Long::longValue).sum();
  }

  void history(HistoryCheck.Result result) {
    historyEvents += result.events();
    historyOverlaps += result.overlaps();
    historyLost += result.lost();
    historyUnleased += result.unleased();
  }

  /**
   * Returns whether there was no difference, failure, hang, leak or kill by the kernel, and nothing
   * wrong in a history.
   */
  boolean clean() {
    return differences == 0
        && failures == 0
        && hangs == 0
        && killedByKernel == 0
        && leakedBytes == 0
        && leakedFiles == 0
        && leakedMappings == 0
        && leakedGpuBytes == 0
        && historyOverlaps == 0
        && historyLost == 0
        && historyUnleased == 0;
  }

  String line() {
    return "%d jobs, %d faults, %d answers compared, %d differences, %d failed, %d hangs, %d killed for memory, leaked: %d bytes of heaps, %d files, %d mappings, %d bytes of GPU memory; history: %d events, %d overlaps, %d lost, %d without lease"
        .formatted(
            jobs,
            allFaults(),
            compared,
            differences,
            failures,
            hangs,
            killedByKernel,
            leakedBytes,
            leakedFiles,
            leakedMappings,
            leakedGpuBytes,
            historyEvents,
            historyOverlaps,
            historyLost,
            historyUnleased);
  }
}
