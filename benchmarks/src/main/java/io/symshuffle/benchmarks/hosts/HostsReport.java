// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.hosts;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Comparison;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.report.RunInfo;
import java.util.List;

/**
 * The results of the benchmark on hosts.
 *
 * @param info the circumstances of the run
 * @param hosts number of hosts, each with one executor of one core per manager
 * @param delay delay of each link, such as {@code 0.2ms}; empty for none
 * @param scale scale factor of the suite's data
 * @param runs timed runs of each job
 * @param note for readers; may be empty
 * @param managers names of the managers, baseline first
 * @param results a result per rate and job
 */
record HostsReport(
    RunInfo info,
    int hosts,
    String delay,
    double scale,
    int runs,
    String note,
    List<String> managers,
    List<HostsResult> results)
    implements Comparison {
  @Override
  public List<Outcome> outcomes() {
    return results.stream().map(HostsResult::outcome).toList();
  }

  /** The last line of output of the command. */
  @JsonProperty
  String summary() {
    return "bench hosts: "
        + results.size()
        + " jobs, "
        + differing()
        + " differ"
        + (failed() == 0 ? "" : ", " + failed() + " failed");
  }
}
