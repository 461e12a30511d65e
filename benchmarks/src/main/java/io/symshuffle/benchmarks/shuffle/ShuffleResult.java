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
 * One case into one number of partitions, on all managers.
 *
 * @param job the case's name
 * @param rows how many rows went in
 * @param partitions into how many partitions
 * @param base the same without the exchange; the runs of all managers count alike, since there is
 *     nothing in them that a manager would do
 * @param outcome with the exchange
 */
record ShuffleResult(String job, long rows, int partitions, Outcome base, Outcome outcome) {
  /** The median without the exchange, in seconds; NaN if it failed everywhere. */
  @JsonProperty
  double baseSeconds() {
    List<Double> runs = base.entries().stream().flatMap(entry -> entry.seconds().stream()).toList();
    return runs.isEmpty() ? Double.NaN : Statistics.median(runs);
  }

  /** What the exchange costs on a manager, in seconds; empty if it failed. */
  OptionalDouble above(int manager) {
    Entry entry = outcome.entries().get(manager);
    return entry.succeeded()
        ? OptionalDouble.of(entry.median() - baseSeconds())
        : OptionalDouble.empty();
  }

  /**
   * How many times less the exchange costs than on the first manager; empty if one failed, or costs
   * less than can be told from nothing (2 per cent of the base).
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
