// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static java.util.Objects.requireNonNull;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes, read and written in Spark's format: {@code 65536}, {@code 64k}, {@code 1g}.
 * The unit is a power of 1024 in any letter case; a plain number is in bytes.
 *
 * @param bytes the number of bytes, 0 or more
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {
  private static final Pattern TEXT = Pattern.compile("([0-9]+)\\s*([a-z]*)");
  private static final String UNITS = "bkmgtp";

  /**
   * Checks the number.
   *
   * @throws IllegalArgumentException if {@code bytes} is negative
   */
  public ByteSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("A byte size of " + bytes + " is negative");
    }
  }

  /**
   * Reads a byte size.
   *
   * @param text digits, then one of {@code b, k, kb, m, mb, g, gb, t, tb, p, pb} or nothing
   * @return the size
   * @throws IllegalArgumentException if the text is not a byte size or exceeds 2^63 - 1 bytes
   */
  public static ByteSize parse(String text) {
    requireNonNull(text, "text is null");
    Matcher matcher = TEXT.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is not a byte size");
    }
    try {
      long number = Long.parseLong(matcher.group(1));
      return new ByteSize(Math.multiplyExact(number, bytesOf(matcher.group(2), text)));
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' exceeds 2^63 - 1 bytes", e);
    }
  }

  private static long bytesOf(String unit, String text) {
    if (unit.isEmpty()) {
      return 1;
    }
    int power = UNITS.indexOf(unit.charAt(0));
    boolean known = unit.length() == 1 || (power > 0 && unit.substring(1).equals("b"));
    if (power < 0 || !known) {
      throw new IllegalArgumentException("'" + text + "' has the unknown unit '" + unit + "'");
    }
    return 1L << (10 * power);
  }

  @Override
  public int compareTo(ByteSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** The shortest exact text that {@link #parse} reads, such as {@code 64k} or {@code 1000}. */
  @Override
  public String toString() {
    int power = 0;
    while (bytes != 0
        && power + 1 < UNITS.length()
        && Long.numberOfTrailingZeros(bytes) >= 10 * (power + 1)) {
      power++;
    }
    return (bytes >> (10 * power)) + (power == 0 ? "" : UNITS.substring(power, power + 1));
  }
}
