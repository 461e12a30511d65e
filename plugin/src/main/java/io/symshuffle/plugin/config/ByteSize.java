// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes with its unit, such as {@code 64k} or {@code 1g}. As in Spark's settings, units
 * are powers of 1024 in any letter case, and {@code g}, {@code gb} and {@code gib} are the same.
 *
 * <p>The unit is required, because a plain number means bytes in some of Spark's settings and MiB
 * in others.
 *
 * @param bytes the number of bytes, 0 or more
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {
  private static final Pattern TEXT = Pattern.compile("([0-9]+)\\s*([a-z]*)");
  private static final String UNITS = "bkmgtp";
  private static final int STEP = 1024;

  /**
   * @throws IllegalArgumentException if {@code bytes} is negative
   */
  public ByteSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("a byte size of " + bytes + " is negative");
    }
  }

  /**
   * Reads a byte size.
   *
   * @param text digits, then one of {@code b, k, kb, kib, m, mb, mib} and so on up to {@code p}; or
   *     0
   * @throws IllegalArgumentException if the text is not a byte size, has no unit or exceeds 2^63 -
   *     1 bytes; the message says what to write
   */
  public static ByteSize parse(String text) {
    Matcher matcher = TEXT.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not a byte size: write a whole number and its unit, such as 64g or 512m");
    }
    String unit = matcher.group(2);
    if (unit.isEmpty() && !matcher.group(1).matches("0+")) {
      throw new IllegalArgumentException(
          "'%s' has no unit: write %2$sg for GiB, %2$sm for MiB or %2$sb for bytes"
              .formatted(text, matcher.group(1)));
    }
    try {
      return new ByteSize(
          Math.multiplyExact(Long.parseLong(matcher.group(1)), bytesOf(unit, text)));
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' exceeds 2^63 - 1 bytes", e);
    }
  }

  private static long bytesOf(String unit, String text) {
    if (unit.isEmpty()) {
      return 1;
    }
    int power = UNITS.indexOf(unit.charAt(0));
    String rest = unit.substring(1);
    boolean known = rest.isEmpty() || (power > 0 && (rest.equals("b") || rest.equals("ib")));
    if (power < 0 || !known) {
      throw new IllegalArgumentException(
          "'" + text + "' has the unknown unit '" + unit + "': use k, m, g, t or p");
    }
    return 1L << (10 * power);
  }

  /** Returns a number of bytes for people, such as "0 B" or "12.3 MiB". */
  public static String text(long bytes) {
    double value = bytes;
    int power = 0;
    while (value >= STEP && power < UNITS.length() - 1) {
      value /= STEP;
      power++;
    }
    return power == 0
        ? bytes + " B"
        : String.format(
            Locale.ROOT,
            "%.1f %siB",
            value,
            UNITS.substring(power, power + 1).toUpperCase(Locale.ROOT));
  }

  @Override
  public int compareTo(ByteSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** The shortest exact text that {@link #parse} reads, such as {@code 64k} or {@code 1000b}. */
  @Override
  public String toString() {
    if (bytes == 0) {
      return "0";
    }
    int power = Math.min(Long.numberOfTrailingZeros(bytes) / 10, UNITS.length() - 1);
    return (bytes >> (10 * power)) + UNITS.substring(power, power + 1);
  }
}
