// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.Locale;

/** Formats numbers for people and for Spark. */
final class Amounts {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private Amounts() {}

  /** Returns a byte size as the value of a setting, in GiB if that is exact, else in MiB. */
  static String setting(long bytes) {
    return bytes % GIB == 0 ? bytes / GIB + "g" : bytes / MIB + "m";
  }

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
