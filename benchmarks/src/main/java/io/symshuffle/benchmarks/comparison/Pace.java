// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Estimates how long the rest of the jobs takes, and decides how often each of them runs if they
 * have to fit into a time. It knows how long each job takes in relation to the others, and learns
 * how fast this machine is from those that are done. Used by one thread.
 */
final class Pace {
  /** The first estimate counts as much as this part of all jobs. */
  private static final double PRIOR = 0.1;

  private static final int MOST_RUNS = 9;

  private final LongSupplier nanos;
  private final List<Double> weights;
  private final double allWeights;
  private final Optional<Long> deadline;
  private final double firstPace;
  private double doneWeights;
  private double doneSeconds;
  private int job = -1;
  private long begin;
  private long leastEnd;
  private double share;

  /**
   * @param nanos a clock, in nanoseconds
   * @param weights the least time of each job, in relation to the others
   * @param time the time for all of them; empty if the number of runs is fixed
   * @param firstPace seconds for a weight of 1 as far as known; NaN if unknown
   */
  Pace(LongSupplier nanos, List<Double> weights, Optional<Duration> time, double firstPace) {
    this.nanos = nanos;
    this.weights = List.copyOf(weights);
    this.allWeights = sum(0);
    this.deadline = time.map(duration -> nanos.getAsLong() + duration.toNanos());
    this.firstPace = firstPace;
  }

  /** Begins with the next job. */
  void next() {
    job++;
    begin = nanos.getAsLong();
    leastEnd = 0;
    double rest = sum(job);
    double pace = pace();
    double spare =
        deadline.isEmpty() || Double.isNaN(pace)
            ? 0
            : Math.max(0, (deadline.get() - begin) / 1e9 - rest * pace);
    share = weights.get(job) * (pace + spare / rest);
  }

  /**
   * Called after each timed run of a job on all managers, if runs have to fit.
   *
   * @param runs the timed runs so far
   * @param last how long the last one took
   * @return whether another one is due: there are too few, or it fits into the job's share
   */
  boolean another(int runs, Duration last) {
    if (runs == Plan.LEAST_RUNS) {
      leastEnd = nanos.getAsLong();
    }
    double soFar = (nanos.getAsLong() - begin) / 1e9;
    return runs < Plan.LEAST_RUNS || (runs < MOST_RUNS && soFar + last.toNanos() / 1e9 <= share);
  }

  /** Ends the job. */
  void done() {
    long end = leastEnd == 0 ? nanos.getAsLong() : leastEnd;
    doneSeconds += (end - begin) / 1e9;
    doneWeights += weights.get(job);
  }

  /** Estimates the time until all jobs are done; empty as long as nothing is known. */
  Optional<Duration> left() {
    double pace = pace();
    if (Double.isNaN(pace)) {
      return Optional.empty();
    }
    double least = (allWeights - doneWeights) * pace;
    double left =
        deadline.map(end -> Math.max(least, (end - nanos.getAsLong()) / 1e9)).orElse(least);
    return Optional.of(Duration.ofMillis(Math.round(1000 * left)));
  }

  /** Whole percents of the least time of all jobs that are done. */
  int percent() {
    return (int) (100 * doneWeights / allWeights);
  }

  /** Seconds for a weight of 1; NaN if unknown. */
  private double pace() {
    double prior = Double.isNaN(firstPace) ? 0 : PRIOR * allWeights;
    double known = Double.isNaN(firstPace) ? 0 : firstPace;
    return (doneSeconds + prior * known) / (doneWeights + prior);
  }

  private double sum(int first) {
    return weights.subList(first, weights.size()).stream().mapToDouble(Double::doubleValue).sum();
  }
}
