// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Gain;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.measure.Statistics;
import io.symshuffle.benchmarks.protocol.StageFigures;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * A job on links of one rate, with all managers.
 *
 * @param rate rate of the hosts' links; empty without hosts
 * @param rows number of input rows; 0 for a query
 * @param partitions number of partitions; 0 for a query
 * @param base runs of a case without its exchange; those of all managers count equally, since no
 *     manager has anything to do in them; null for a query
 * @param costs what the timed runs of each manager took apart from seconds, in the same order;
 *     empty for the opening case
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
record Result(
    String rate,
    String job,
    long rows,
    int partitions,
    Outcome outcome,
    Outcome base,
    List<Cost> costs) {
  Result {
    costs = List.copyOf(costs);
  }

  /**
   * What the timed runs of a manager took.
   *
   * @param sentBytes bytes that the hosts sent in each run; empty without hosts
   * @param cpuSeconds CPU time of the executors in each run; empty if one was killed in each
   * @param executors what their counters gained in the run whose time is nearest to the median: the
   *     metrics of the same names, and seconds of garbage collection; empty if they did not answer
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record Cost(
      List<Long> sentBytes,
      List<Double> cpuSeconds,
      Map<String, Double> executors,
      List<StageFigures> stages) {
    Cost {
      sentBytes = List.copyOf(sentBytes);
      cpuSeconds = List.copyOf(cpuSeconds);
      executors = new TreeMap<>(executors);
      stages = List.copyOf(stages);
    }

    /** The median of the bytes; NaN without hosts or runs. */
    @JsonProperty
    double medianSentBytes() {
      return median(sentBytes.stream().map(Long::doubleValue).toList());
    }

    /** The median of the CPU time; NaN without runs. */
    @JsonProperty
    double medianCpuSeconds() {
      return median(cpuSeconds);
    }
  }

  /** Whether each manager has run as often as planned, or has failed. */
  boolean hasAllRuns(Plan plan) {
    return outcome.entries().stream()
        .allMatch(entry -> entry.failed() || entry.seconds().size() >= plan.runs() * plan.starts());
  }

  /** Whether this is the same job on links of the same rate. */
  boolean replaces(Result other) {
    return rate.equals(other.rate) && job.equals(other.job) && partitions == other.partitions;
  }

  /** Job and rate, if there is one. */
  @JsonIgnore
  String name() {
    return rate.isEmpty() ? job : rate + " " + job;
  }

  /** The outcomes of the runs with and without the exchange. */
  @JsonIgnore
  List<Outcome> outcomes() {
    return base == null ? List.of(outcome) : List.of(base, outcome);
  }

  /** Returns what is wrong, a line or more for each problem. */
  List<String> problems() {
    return outcomes().stream().flatMap(each -> each.problems().stream()).toList();
  }

  /** Median without the exchange in seconds; NaN if there are no such runs. */
  @JsonProperty
  double baseSeconds() {
    return median(baseRuns());
  }

  private List<Double> baseRuns() {
    return Optional.ofNullable(base).stream()
        .flatMap(runs -> runs.entries().stream())
        .flatMap(entry -> entry.seconds().stream())
        .toList();
  }

  /** Returns the cost of the exchange on a manager in seconds; empty if it failed. */
  OptionalDouble above(int manager) {
    return entry(manager).succeeded()
        ? OptionalDouble.of(entry(manager).median() - baseSeconds())
        : OptionalDouble.empty();
  }

  /**
   * Returns whether the cost of the exchange is above the noise: 2 % of the base, and twice the
   * standard error of the difference of the medians with and without the exchange.
   */
  boolean isAboveNoise(int manager) {
    OptionalDouble above = above(manager);
    return above.isPresent()
        && above.getAsDouble() > baseSeconds() * 0.02
        && above.getAsDouble()
            > 2
                * Math.hypot(
                    Statistics.errorOfMedian(entry(manager).seconds()),
                    Statistics.errorOfMedian(baseRuns()));
  }

  /**
   * Returns how many times cheaper the exchange is than on the baseline; empty if either failed, or
   * if one of the costs is below the noise. The scatter is that of the runs with the exchange.
   */
  Optional<Gain> exchangeGain(int manager) {
    if (!isAboveNoise(0) || !isAboveNoise(manager)) {
      return Optional.empty();
    }
    Gain.Runs runs = new Gain.Runs(above(entry(0)), above(entry(manager)), outcome.runsPerStart());
    return Optional.of(Gain.of(List.of(runs), List.of(runs)));
  }

  private Entry entry(int manager) {
    return outcome.entries().get(manager);
  }

  private List<Double> above(Entry entry) {
    return entry.seconds().stream().map(seconds -> seconds - baseSeconds()).toList();
  }

  private static double median(List<Double> values) {
    return values.isEmpty() ? Double.NaN : Statistics.median(values);
  }
}
