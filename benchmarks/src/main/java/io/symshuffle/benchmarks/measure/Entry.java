// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import java.util.List;

/**
 * The result of one manager.
 *
 * @param seconds durations of the timed runs, in order; empty if it failed, or has not run yet
 * @param figures shuffle metrics of the run nearest to the median
 * @param failure why it failed; empty if it did not
 */
public record Entry(
    String manager, List<Double> seconds, long rows, ShuffleFigures figures, String failure) {
  /** Returns whether it ran, and no run failed. */
  public boolean succeeded() {
    return !seconds.isEmpty();
  }

  /** Returns whether a run failed. */
  public boolean failed() {
    return !failure.isEmpty();
  }

  /**
   * Returns the median of the timed runs in seconds.
   *
   * @throws IllegalArgumentException if it failed, or has not run yet
   */
  public double median() {
    return Statistics.median(seconds);
  }
}
