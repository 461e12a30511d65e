// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import java.util.Locale;

/** Formats text and numbers for the page. */
final class Html {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
  private static final int STEP = 1024;

  private Html() {}

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  /** Returns bytes in a suitable unit; history servers have no other class of ours. */
  static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= STEP && unit < UNITS.length - 1) {
      value /= STEP;
      unit++;
    }
    return unit == 0
        ? bytes + " B"
        : String.format(Locale.ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, UNITS[unit]);
  }

  /** Returns a rate in MB/s or GB/s, or a dash if it is unknown. */
  static String rate(long bytes, double seconds) {
    if (seconds <= 0 || bytes == 0) {
      return "–";
    }
    double megabytes = bytes / seconds / 1e6;
    return megabytes < 100
        ? String.format(Locale.ROOT, "%.1f MB/s", megabytes)
        : String.format(Locale.ROOT, "%.2f GB/s", megabytes / 1000);
  }

  static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Returns a share in percent, or a dash if the whole is 0. */
  static String percent(long part, long whole) {
    return whole == 0 ? "–" : String.format(Locale.ROOT, "%.0f %%", 100.0 * part / whole);
  }
}
