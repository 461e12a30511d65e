// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.Locale;

/** Formats numbers for people. */
final class Amounts {
  private Amounts() {}

  static String seconds(double seconds) {
    return String.format(Locale.ROOT, seconds < 100 ? "%.1f s" : "%.0f s", seconds);
  }

  /** Returns seconds with two decimals. */
  static String hundredths(double seconds) {
    return String.format(Locale.ROOT, "%.2f s", seconds);
  }

  /** Returns a number of things, such as "1 core" or "2 cores". */
  static String count(int number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }

  static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f %%", 100 * share);
  }
}
