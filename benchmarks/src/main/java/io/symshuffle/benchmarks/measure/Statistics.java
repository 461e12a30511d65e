// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import java.util.List;

/** What our reports say of times that scatter. */
public final class Statistics {
  private Statistics() {}

  /**
   * The middle value; of an even number, the mean of the middle two.
   *
   * @throws IllegalArgumentException if there is none
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
   * Whether values are larger than others beyond their scatter: in at least 92 of 100 pairs of one
   * of each. With 5 values a side that is 23 of 25, which chance brings about once in 63 times
   * (Mann and Whitney's U of at most 2). With fewer than 3 a side nothing can be said.
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
   * The number whose n-th power is the product of the n values: what to average ratios by.
   *
   * @return NaN if there are no values
   * @throws IllegalArgumentException if a value is not above 0
   */
  public static double geometricMean(List<Double> values) {
    double logarithms = 0;
    for (double value : values) {
      if (!(value > 0)) {
        throw new IllegalArgumentException(value + " has no part in a geometric mean");
      }
      logarithms += Math.log(value);
    }
    return Math.exp(logarithms / values.size());
  }
}
