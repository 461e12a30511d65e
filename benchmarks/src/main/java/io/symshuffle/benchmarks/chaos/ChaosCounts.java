// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.history.HistoryCheck;
import io.symshuffle.benchmarks.launch.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The counters of a soak, with their names in its report. Used by one thread, except for {@link
 * #fault}.
 */
@JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
final class ChaosCounts {
  /** Applications started with SymShuffle. */
  int applications;

  /** Queries run with SymShuffle. */
  int jobs;

  /**
   * Injected faults by point and kind; those of {@link OutsideFaults}, {@code heaps.lost} and
   * {@code query.again} are external.
   */
  final Map<String, Long> faults = new TreeMap<>();

  /** Answers compared with the sort shuffle's. */
  int answersCompared;

  int differences;

  /** Jobs without an answer. */
  int failedJobs;

  /** Jobs that exceeded the time limit or whose application died. */
  int hangs;

  /** Processes that exceeded a memory limit. */
  long killedByKernel;

  /** Heap memory in use after all shuffles were removed, on hosts and GPUs. */
  long leakedHeapBytes;

  /** Unused files, during or after the application. */
  long leakedFiles;

  /** Windows that executors mapped although their file was deleted. */
  long leakedMappings;

  /** GPU memory in use after applications had ended, beyond that before them. */
  long leakedGpuBytes;

  /** Events in the histories of executors, see {@link HistoryCheck}. */
  long historyEvents;

  /** Reads whose bytes were freed, released or unmapped meanwhile. */
  long historyOverlaps;

  /** Lookups that did not find a published map output. */
  long historyLost;

  long historyReadsWithoutLease;

  synchronized void fault(String kind) {
    faults.merge(kind, 1L, Long::sum);
  }

  @JsonProperty
  synchronized long allFaults() {
    return faults.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Counts the faults of executors, one in each line. */
  void addFaults(Path log) throws IOException {
    if (Files.exists(log)) {
      Files.readAllLines(log).forEach(line -> fault(line.split(" ", -1)[0]));
    }
  }

  /**
   * Checks what executors recorded; keeps the files only if something is wrong.
   *
   * @return descriptions of what is wrong
   */
  List<String> addHistory(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    HistoryCheck.Result result = HistoryCheck.of(folder);
    history(result);
    if (result.examples().isEmpty()) {
      Folders.delete(folder);
    }
    return result.examples();
  }

  void history(HistoryCheck.Result result) {
    historyEvents += result.events();
    historyOverlaps += result.overlaps();
    historyLost += result.lost();
    historyReadsWithoutLease += result.unleased();
  }

  /**
   * Returns whether there was no difference, failure, hang, leak or kill by the kernel, and nothing
   * wrong in a history.
   */
  boolean clean() {
    return differences == 0
        && failedJobs == 0
        && hangs == 0
        && killedByKernel == 0
        && leakedHeapBytes == 0
        && leakedFiles == 0
        && leakedMappings == 0
        && leakedGpuBytes == 0
        && historyOverlaps == 0
        && historyLost == 0
        && historyReadsWithoutLease == 0;
  }

  String line() {
    return "%d jobs, %d faults, %d answers compared, %d differences, %d failed, %d hangs, %d killed for memory, leaked: %d bytes of heaps, %d files, %d mappings, %d bytes of GPU memory; history: %d events, %d overlaps, %d lost, %d without lease"
        .formatted(
            jobs,
            allFaults(),
            answersCompared,
            differences,
            failedJobs,
            hangs,
            killedByKernel,
            leakedHeapBytes,
            leakedFiles,
            leakedMappings,
            leakedGpuBytes,
            historyEvents,
            historyOverlaps,
            historyLost,
            historyReadsWithoutLease);
  }
}
