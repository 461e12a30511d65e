// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.cli.tune;

/**
 * A prediction beside what came of it, on the clock or in time of cores; all in seconds.
 *
 * @param least what should at least be saved
 * @param most what there is to save
 * @param sort what was measured with sort shuffle
 * @param ours what was measured with SymShuffle
 */
record Bounds(double least, double most, double sort, double ours) {
  /** Within 3 per cent of a query's time it may be noise. */
  static final double NOISE = 0.03;

  /** How that which was saved lies to the two bounds of the prediction. */
  enum Verdict {
    /** Between the two, or no further from them than {@link #NOISE}. */
    AS_PREDICTED("as predicted"),
    /** Less than what should at least be saved. */
    LESS("less"),
    /** More than there should be to save. */
    MORE("more");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** {@return what SymShuffle saved; negative where it was slower} */
  double saved() {
    return sort - ours;
  }

  Verdict verdict() {
    double noise = NOISE * sort;
    if (saved() < least - noise) {
      return Verdict.LESS;
    }
    return saved() > most + noise ? Verdict.MORE : Verdict.AS_PREDICTED;
  }

  Bounds plus(Bounds o) {
    return new Bounds(least + o.least, most + o.most, sort + o.sort, ours + o.ours);
  }
}
