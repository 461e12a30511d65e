// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import java.util.List;
import org.apache.commons.math3.stat.StatUtils;

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
    return StatUtils.percentile(array(values), 50);
  }

  static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
