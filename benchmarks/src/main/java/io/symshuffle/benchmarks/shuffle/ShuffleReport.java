// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Comparison;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.report.RunInfo;
import java.util.List;
import java.util.stream.Stream;

/**
 * The results of the shuffle benchmark.
 *
 * @param info the circumstances of the run
 * @param runs timed runs of each job
 * @param note for readers; may be empty
 * @param managers names of the managers, baseline first
 * @param results a result per case and number of partitions
 */
record ShuffleReport(
    RunInfo info, int runs, String note, List<String> managers, List<ShuffleResult> results)
    implements Comparison {
  /**
   * Runs with the exchange, and those without it. Results that differ only in the number of
   * partitions share the latter.
   */
  @Override
  public List<Outcome> outcomes() {
    return Stream.concat(
            results.stream().map(ShuffleResult::base).distinct(),
            results.stream().map(ShuffleResult::outcome))
        .toList();
  }

  /** The last line of output of the command. */
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
