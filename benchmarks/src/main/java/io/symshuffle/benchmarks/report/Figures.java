// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.time.Duration;
import java.util.Locale;

/** Numbers as text, the same on every machine. */
public final class Figures {
  private Figures() {}

  /** Seconds with three significant digits: {@code 0.123}, {@code 1.23}, {@code 12.3}. */
  public static String seconds(double seconds) {
    double magnitude = Math.abs(seconds);
    int digits = magnitude < 1 ? 3 : magnitude < 10 ? 2 : 1;
    return String.format(Locale.ROOT, "%." + digits + "f", seconds);
  }

  /** A ratio with two decimals. */
  public static String ratio(double ratio) {
    return String.format(Locale.ROOT, "%.2f", ratio);
  }

  /** A duration as people say it: {@code 59 s}, {@code 2 min}, {@code 3 h}. */
  public static String duration(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < 90) {
      return seconds + " s";
    }
    return seconds < 5400 ? (seconds + 30) / 60 + " min" : (seconds + 1800) / 3600 + " h";
  }

  /** A paragraph in lines of at most 96 characters. */
  public static String wrapped(String paragraph) {
    return paragraph.replaceAll("(.{1,96})( |$)", "$1\n").stripTrailing();
  }

  /** A scale factor: {@code 10}, {@code 0.01}. */
  public static String scale(double scale) {
    return scale == Math.rint(scale) ? Long.toString((long) scale) : Double.toString(scale);
  }

  /** A count with thousands separated: {@code 6,001,215}. */
  public static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }
}
