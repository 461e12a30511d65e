// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.demo;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.measure.Statistics;
import io.symshuffle.benchmarks.report.RunInfo;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * What the demonstration found.
 *
 * @param info where and how
 * @param scale of the TPC-H data
 * @param runs timed runs of each query on each manager
 * @param managers their names, the one to beat first
 * @param queries one outcome a query
 */
record DemoReport(
    RunInfo info, double scale, int runs, List<String> managers, List<Outcome> queries) {

  /** Queries whose rows differ. */
  @JsonProperty
  long differing() {
    return queries.stream().filter(query -> !query.same()).count();
  }

  /** Queries that some manager could not run. */
  @JsonProperty
  long failed() {
    return queries.stream().filter(query -> !query.succeeded()).count();
  }

  /** The geometric mean of the speed-ups of the manager with this index; NaN if there are none. */
  double speedUp(int manager) {
    return Statistics.geometricMean(
        queries.stream()
            .map(query -> query.speedUp(manager))
            .filter(OptionalDouble::isPresent)
            .map(OptionalDouble::getAsDouble)
            .toList());
  }

  /** The last manager's, which is the one that the summary is about. */
  @JsonProperty("geometricMeanSpeedUp")
  double speedUp() {
    return speedUp(managers.size() - 1);
  }

  /** Whether all queries ran and gave the same rows. */
  @JsonIgnore
  boolean good() {
    return differing() == 0 && failed() == 0;
  }

  /** The line that the command ends with. */
  @JsonProperty
  String summary() {
    return String.format(
        Locale.ROOT,
        "demo: %d %s, %d differ, %sgeometric mean speed-up %.2f",
        queries.size(),
        queries.size() == 1 ? "query" : "queries",
        differing(),
        failed() == 0 ? "" : failed() + " failed, ",
        speedUp());
  }
}
