// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.report.RunInfo;
import java.util.List;

/**
 * What the shuffle benchmark found.
 *
 * @param info where and how
 * @param rounds timed runs of each
 * @param managers their names, the one to beat first
 * @param results a result for each case and number of partitions
 */
record ShuffleReport(RunInfo info, int rounds, List<String> managers, List<ShuffleResult> results) {
  /** Cases whose results differ between managers. */
  @JsonProperty
  long differing() {
    return results.stream().filter(result -> !result.outcome().same()).count();
  }

  /** Cases that some manager could not run. */
  @JsonProperty
  long failed() {
    return results.stream().filter(result -> !result.outcome().succeeded()).count();
  }

  /** The line that the command ends with. */
  @JsonProperty
  String summary() {
    return "bench shuffle: "
        + results.size()
        + " cases, "
        + differing()
        + " differ"
        + (failed() == 0 ? "" : ", " + failed() + " failed");
  }
}
