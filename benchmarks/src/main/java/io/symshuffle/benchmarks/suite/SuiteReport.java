// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.measure.Statistics;
import io.symshuffle.benchmarks.report.RunInfo;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * What a run of a suite found.
 *
 * @param info where and how
 * @param command the command as users type it, such as {@code bench tpcds}
 * @param suite the name of the suite
 * @param scale of the data
 * @param warmUps runs of each query before those that are timed
 * @param runs timed runs of each query on each manager
 * @param note what readers should know of this run; may be empty
 * @param managers their names, the one to beat first
 * @param queries one outcome a query
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
    List<Outcome> queries) {
  /** Medians within 3 per cent count as equal. */
  static final double NOISE = 0.03;

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

  /** Those of them that failed on all managers with the same message. */
  @JsonProperty
  long failedAlike() {
    return queries.stream().filter(Outcome::failedAlike).count();
  }

  /** The sum of the medians of each manager, over the queries that all of them ran. */
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

  /** The queries in which the last manager's median is more than that above the first's. */
  @JsonProperty
  List<String> slower() {
    return queries.stream().filter(this::isSlower).map(Outcome::name).toList();
  }

  /** Those of them whose runs say so beyond their scatter; see {@link Statistics#clearlyLarger}. */
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
