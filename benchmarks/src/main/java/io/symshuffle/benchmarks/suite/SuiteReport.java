// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Comparison;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.measure.Statistics;
import io.symshuffle.benchmarks.report.RunInfo;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * The results of a run of a suite.
 *
 * @param info the circumstances of the run
 * @param command the command as typed, such as {@code bench tpcds}
 * @param suite the name of the suite
 * @param scale scale factor of the data
 * @param warmUps untimed runs of each query before the timed ones
 * @param runs timed runs of each query on each manager
 * @param note a note for readers; may be empty
 * @param managers names of the managers, baseline first
 * @param queries one outcome per query
 */
record SuiteReport(
    RunInfo info,
    String command,
    String suite,
    double scale,
    int warmUps,
    int runs,
    String note,
    List<String> managers,
    List<Outcome> queries)
    implements Comparison {
  /** Medians that differ by less than 3 % count as equal. */
  static final double NOISE = 0.03;

  @Override
  public List<Outcome> outcomes() {
    return queries;
  }

  /** Number of queries that failed on all managers with the same message. */
  @JsonProperty
  long failedAlike() {
    return queries.stream().filter(Outcome::failedAlike).count();
  }

  /** Sum of the medians per manager, over the queries that ran on all of them. */
  @JsonProperty
  List<Double> totalSeconds() {
    return IntStream.range(0, managers.size())
        .mapToObj(
            manager ->
                queries.stream()
                    .filter(Outcome::succeeded)
                    .mapToDouble(query -> query.entries().get(manager).median())
                    .sum())
        .toList();
  }

  /** Queries whose median on the last manager is more than {@link #NOISE} above the first's. */
  @JsonProperty
  List<String> slower() {
    return queries.stream().filter(this::isSlower).map(Outcome::name).toList();
  }

  /** Those of {@link #slower} beyond the scatter of runs, see {@link Statistics#clearlyLarger}. */
  @JsonProperty
  List<String> slowerBeyondScatter() {
    return queries.stream()
        .filter(this::isSlower)
        .filter(
            query ->
                Statistics.clearlyLarger(
                    query.entries().getLast().seconds(), query.entries().getFirst().seconds()))
        .map(Outcome::name)
        .toList();
  }

  private boolean isSlower(Outcome query) {
    return query.speedUp(managers.size() - 1).orElse(1) < 1 - NOISE;
  }

  /** Geometric mean of the speed-ups of the manager with this index; NaN if there are none. */
  double speedUp(int manager) {
    return Statistics.geometricMean(
        queries.stream()
            .map(query -> query.speedUp(manager))
            .filter(OptionalDouble::isPresent)
            .map(OptionalDouble::getAsDouble)
            .toList());
  }

  /** The speed-up of the last manager, for the summary. */
  @JsonProperty("geometricMeanSpeedUp")
  double speedUp() {
    return speedUp(managers.size() - 1);
  }

  /** The last line of output of the command. */
  @JsonProperty
  String summary() {
    return String.format(
        Locale.ROOT,
        "%s: %d %s, %d differ, %sgeometric mean speed-up %.2f",
        command,
        queries.size(),
        queries.size() == 1 ? "query" : "queries",
        differing(),
        failures(),
        speedUp());
  }

  private String failures() {
    if (failed() == 0) {
      return "";
    }
    return failed()
        + " failed"
        + (failedAlike() == 0 ? ", " : " (" + failedAlike() + " on all managers alike), ");
  }
}
