// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import java.util.List;
import org.apache.commons.math3.stat.StatUtils;

/** Statistics of timed runs. */
public final class Statistics {
  /** The standard error of a median is this many times that of a mean. */
  static final double OF_MEDIANS = Math.sqrt(Math.PI / 2);

  private Statistics() {}

  /**
   * Returns the middle value; for an even number of values, the mean of the middle two.
   *
   * @throws IllegalArgumentException if there are no values
   */
  public static double median(List<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("there is no median of no values");
    }
    return StatUtils.percentile(array(values), 50);
  }

  /** Returns the standard error of the median; 0 for a single value, whose error is unknown. */
  public static double errorOfMedian(List<Double> values) {
    return OF_MEDIANS * Math.sqrt(StatUtils.variance(array(values)) / values.size());
  }

  static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
