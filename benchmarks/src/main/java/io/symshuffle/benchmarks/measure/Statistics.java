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
}
