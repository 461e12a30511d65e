// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.Arrays;

/**
 * A prediction beside what came of it, on the clock or in time of cores; all in seconds.
 *
 * @param least what should at least be saved
 * @param most what there is to save
 * @param sort median of what was measured with sort shuffle
 * @param ours median of what was measured with SymShuffle
 * @param scatter by how much the difference of the two medians may be off, as far as the runs tell
 */
record Bounds(double least, double most, double sort, double ours, double scatter) {
  /** Runs that lie closer together than 3 per cent of their time do so by chance. */
  static final double NOISE = 0.03;

  /** How that which was saved lies to the two bounds of the prediction. */
  enum Verdict {
    /** Between the two, or no further from them than {@link #noise}. */
    AS_PREDICTED("as predicted"),
    /** Less than what should at least be saved. */
    LESS("less"),
    /** More than there should be to save. */
    MORE("more"),
    /**
     * Runs scatter by more than there is to save: nothing contradicts the prediction, or shows it.
     */
    CANNOT_TELL("cannot tell");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * Puts measurements beside a prediction. A median is off by half the distance between the lowest
   * and the highest run at most, as far as these runs tell.
   *
   * @param least what should at least be saved
   * @param most what there is to save
   * @param sort each run with sort shuffle
   * @param ours each run with SymShuffle
   */
  static Bounds of(double least, double most, double[] sort, double[] ours) {
    return new Bounds(
        least,
        most,
        QueryPrediction.median(sort),
        QueryPrediction.median(ours),
        (range(sort) + range(ours)) / 2);
  }

  private static double range(double... runs) {
    return Arrays.stream(runs).max().orElse(0) - Arrays.stream(runs).min().orElse(0);
  }

  /** {@return what SymShuffle saved; negative where it was slower} */
  double saved() {
    return sort - ours;
  }

  /** {@return seconds that a difference may have come by by chance} */
  double noise() {
    return Math.max(scatter, NOISE * sort);
  }

  Verdict verdict() {
    if (saved() < least - noise()) {
      return Verdict.LESS;
    }
    if (saved() > most + noise()) {
      return Verdict.MORE;
    }
    return scatter > Math.max(most, NOISE * sort) ? Verdict.CANNOT_TELL : Verdict.AS_PREDICTED;
  }

  Bounds plus(Bounds o) {
    return new Bounds(
        least + o.least, most + o.most, sort + o.sort, ours + o.ours, scatter + o.scatter);
  }
}
