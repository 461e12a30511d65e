// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Gain;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.report.RunInfo;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The results of a comparison, which may still be running.
 *
 * @param managers names of the managers, baseline first
 * @param opening the shuffle-bound case that ran first; null if none has
 * @param results a result per job and rate of the links, in the order of the plan
 * @param busy what other programs did to the numbers; empty if the machine was idle
 */
record Report(
    RunInfo info,
    Plan plan,
    List<String> managers,
    @JsonInclude(JsonInclude.Include.NON_NULL) Result opening,
    List<Result> results,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) String busy) {
  Report {
    managers = List.copyOf(managers);
    results = List.copyOf(results);
  }

  /**
   * Sums over the jobs that ran on all managers.
   *
   * @param rate rate of the links; empty without hosts
   * @param seconds sum of the medians per manager
   * @param geometricMeanSpeedUps mean per manager, the first of which is 1
   * @param sentBytes sum of the medians of what the hosts sent, per manager; empty without hosts
   */
  record Total(
      String rate,
      List<Double> seconds,
      List<Double> geometricMeanSpeedUps,
      List<Double> sentBytes) {}

  /** Whether all results are there; false for a run that goes on, or was cut off. */
  @JsonProperty
  boolean complete() {
    return finished() == (long) plan.jobs().size() * Math.max(1, plan.rates().size());
  }

  /** Number of results with all runs of all managers. */
  @JsonIgnore
  long finished() {
    return results.stream().filter(result -> result.hasAllRuns(plan)).count();
  }

  /** Number of results of all managers, which may not have all runs. */
  @JsonIgnore
  long compared() {
    return results.stream().filter(result -> result.outcome().succeeded()).count();
  }

  /** The application that started last, such as {@code application 2 of 4 (symshuffle)}. */
  @JsonIgnore
  String application() {
    int started = info.applicationIds().size();
    return "application %d of %d (%s)"
        .formatted(
            started,
            plan.starts() * managers.size(),
            managers.get(Plan.managerOf(started - 1, managers.size())));
  }

  /** Number of outcomes whose rows differ between managers. */
  @JsonProperty
  long differing() {
    return outcomes().stream().filter(outcome -> !outcome.same()).count();
  }

  /** Number of outcomes with at least one manager that failed. */
  @JsonProperty
  long failed() {
    return outcomes().stream().filter(Outcome::failed).count();
  }

  /** Number of outcomes that failed on all managers with the same message. */
  @JsonProperty
  long failedAlike() {
    return outcomes().stream().filter(Outcome::failedAlike).count();
  }

  /** Whether everything ran and gave the same rows. */
  @JsonIgnore
  boolean good() {
    return complete() && differing() == 0 && failed() == 0;
  }

  /** Runs that results share count once. */
  private List<Outcome> outcomes() {
    return Stream.concat(Stream.ofNullable(opening), results.stream())
        .flatMap(result -> result.outcomes().stream())
        .distinct()
        .toList();
  }

  /** Sums for each rate. */
  @JsonProperty
  List<Total> totals() {
    List<String> rates = plan.rates().isEmpty() ? List.of("") : plan.rates();
    return rates.stream().map(this::total).toList();
  }

  private Total total(String rate) {
    List<Result> of = results.stream().filter(result -> result.rate().equals(rate)).toList();
    List<Result> valid = of.stream().filter(result -> result.outcome().succeeded()).toList();
    return new Total(
        rate,
        each(
            manager ->
                valid.stream()
                    .mapToDouble(result -> result.outcome().entries().get(manager).median())
                    .sum()),
        each(manager -> value(Groups.gain(of, manager))),
        plan.rates().isEmpty()
            ? List.of()
            : each(
                manager ->
                    valid.stream()
                        .mapToDouble(result -> result.costs().get(manager).medianSentBytes())
                        .sum()));
  }

  private List<Double> each(IntToDoubleFunction valueOfManager) {
    return IntStream.range(0, managers.size()).mapToDouble(valueOfManager).boxed().toList();
  }

  /** Geometric mean of the speed-ups of the manager with this index; empty if there are none. */
  Optional<Gain> gain(int manager) {
    return Groups.gain(results, manager);
  }

  private static double value(Optional<Gain> gain) {
    return gain.map(Gain::value).orElse(Double.NaN);
  }

  /** The managers that are compared with the first one, as indexes. */
  @JsonIgnore
  IntStream others() {
    return IntStream.range(1, managers.size());
  }

  /** Jobs that are slower on a manager beyond the scatter of their runs. */
  List<String> slowerBeyondScatter(int manager) {
    return results.stream()
        .filter(result -> Groups.gain(results, result, manager).filter(Gain::isSlower).isPresent())
        .map(Result::name)
        .toList();
  }

  /** What the results say of those that shuffle much and little, see {@link Groups}. */
  @JsonProperty
  List<String> groups() {
    return Groups.sentences(this);
  }

  /** The circumstances as names and values for readers; a value may be empty. */
  Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>(info.facts());
    if (!plan.rates().isEmpty()) {
      facts.put("Links", String.join(", ", plan.rates()));
    }
    facts.put("Runs", "%s and %d timed of each job".formatted(plan.countOfWarmUps(), plan.runs()));
    facts.put("Applications", "one at a time, each started %d times".formatted(plan.starts()));
    facts.put("Note", plan.note());
    facts.put("Other programs", busy);
    return facts;
  }

  /** The result in one line. */
  @JsonProperty
  String summary() {
    int rates = Math.max(1, plan.rates().size());
    return String.format(
        Locale.ROOT,
        "%s: %s%s, %d differ, %sgeometric mean speed-up %s%s",
        plan.command(),
        plan.count(results.size() / rates),
        rates == 1 ? "" : " on links of " + rates + " rates",
        differing(),
        failures(),
        speedUps(),
        complete() ? "" : "; incomplete, " + plan.count(plan.jobs().size()) + " were planned");
  }

  private String speedUps() {
    return others()
        .mapToObj(
            manager ->
                gain(manager).map(Gain::text).orElse("-")
                    + (managers.size() > 2 ? " with " + managers.get(manager) : ""))
        .collect(Collectors.joining(", "));
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
