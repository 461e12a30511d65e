// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import java.util.List;

/**
 * How one manager did at one piece of work.
 *
 * @param manager its name
 * @param seconds the timed runs, in their order; empty if it failed
 * @param rows how many rows came out
 * @param figures the shuffle metrics of the run that was nearest to the median
 * @param failure why it failed; empty if it did not
 */
public record Entry(
    String manager, List<Double> seconds, long rows, ShuffleFigures figures, String failure) {
  /** Whether no run failed. */
  public boolean succeeded() {
    return failure.isEmpty();
  }

  /**
   * The median of the timed runs, in seconds.
   *
   * @throws IllegalArgumentException if it failed
   */
  public double median() {
    return Statistics.median(seconds);
  }
}
