// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.measure.Statistics;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A case with one number of partitions, on all managers.
 *
 * @param job name of the case
 * @param rows number of input rows
 * @param partitions number of partitions
 * @param base runs without the exchange; those of all managers count equally, since no manager has
 *     anything to do in them
 * @param outcome runs with the exchange
 */
record ShuffleResult(String job, long rows, int partitions, Outcome base, Outcome outcome) {
  /** Median without the exchange in seconds; NaN if all managers failed. */
  @JsonProperty
  double baseSeconds() {
    List<Double> runs = base.entries().stream().flatMap(entry -> entry.seconds().stream()).toList();
    return runs.isEmpty() ? Double.NaN : Statistics.median(runs);
  }

  /** Returns the cost of the exchange on a manager in seconds; empty if it failed. */
  OptionalDouble above(int manager) {
    Entry entry = outcome.entries().get(manager);
    return entry.succeeded()
        ? OptionalDouble.of(entry.median() - baseSeconds())
        : OptionalDouble.empty();
  }

  /**
   * Returns how many times cheaper the exchange is than on the baseline; empty if either failed, or
   * if the cost is below the noise, which is 2 % of the base.
   */
  OptionalDouble gain(int manager) {
    OptionalDouble first = above(0);
    OptionalDouble own = above(manager);
    double noise = baseSeconds() * 0.02;
    return first.isPresent() && own.isPresent() && own.getAsDouble() > noise
        ? OptionalDouble.of(first.getAsDouble() / own.getAsDouble())
        : OptionalDouble.empty();
  }
}
