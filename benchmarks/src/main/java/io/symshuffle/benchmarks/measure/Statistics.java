// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import java.util.List;

/** The two averages that our reports use. */
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
