// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import java.util.List;

/** Statistics of timed runs. */
public final class Statistics {
  private Statistics() {}

  /**
   * Returns the middle value; for an even number of values, the mean of the middle two.
   *
   * @throws IllegalArgumentException if there are no values
   */
  public static double median(List<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("There is no median of no values");
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Returns whether values are larger than others beyond their scatter: in at least 92 % of all
   * pairs of a value and an other. With 5 values on each side, that is 23 of 25 pairs, which has a
   * probability of 1 in 63 by chance (Mann-Whitney U of at most 2). False for fewer than 3 values
   * on a side.
   */
  public static boolean clearlyLarger(List<Double> values, List<Double> others) {
    if (Math.min(values.size(), others.size()) < 3) {
      return false;
    }
    long larger =
        values.stream()
            .mapToLong(value -> others.stream().filter(other -> value > other).count())
            .sum();
    return larger >= 0.92 * values.size() * others.size();
  }

  /**
   * Returns the geometric mean, which is the average of ratios.
   *
   * @return NaN if there are no values
   * @throws IllegalArgumentException if a value is not above 0
   */
  public static double geometricMean(List<Double> values) {
    double logarithms = 0;
    for (double value : values) {
      if (!(value > 0)) {
        throw new IllegalArgumentException(
            value + " is not positive, so there is no geometric mean");
      }
      logarithms += Math.log(value);
    }
    return Math.exp(logarithms / values.size());
  }

  /**
   * Returns the upper end of the exact (Clopper-Pearson) one-sided confidence interval of a rate.
   * Without any failure this is close to 3 divided by the number of trials at 95 %.
   *
   * @param failures number of failures
   * @param trials number of independent trials
   * @param confidence probability that the rate is not above the result, for example 0.95
   * @return from 0 to 1; 1 if all trials failed or there are none
   * @throws IllegalArgumentException if there are more failures than trials, or a negative number
   */
  public static double upperBound(long failures, long trials, double confidence) {
    if (failures < 0 || failures > trials) {
      throw new IllegalArgumentException(failures + " failures in " + trials + " trials");
    }
    if (failures == trials) {
      return 1;
    }
    double low = 0;
    double high = 1;
    // The rate at which so few failures have the remaining probability.
    for (int step = 0; step < 200; step++) {
      double rate = (low + high) / 2;
      if (atMost(failures, trials, rate) > 1 - confidence) {
        low = rate;
      } else {
        high = rate;
      }
    }
    return high;
  }

  /** Returns the probability of at most so many failures. */
  private static double atMost(long failures, long trials, double rate) {
    double logarithm = trials * Math.log1p(-rate);
    double sum = Math.exp(logarithm);
    for (long i = 1; i <= failures; i++) {
      logarithm +=
          Math.log((double) (trials - i + 1))
              - Math.log((double) i)
              + Math.log(rate)
              - Math.log1p(-rate);
      sum += Math.exp(logarithm);
    }
    return sum;
  }
}
