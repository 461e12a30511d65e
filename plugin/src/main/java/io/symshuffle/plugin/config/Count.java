// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of things, such as rows or executors: {@code 200}, {@code 64k}, {@code 1.5m}, {@code
 * 2b}. Units are thousand, million and billion, in any letter case.
 *
 * @param value the number, 0 or more
 */
public record Count(long value) {
  private static final Pattern TEXT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([kmb]?)");

  /**
   * @throws IllegalArgumentException if it is negative
   */
  public Count {
    if (value < 0) {
      throw new IllegalArgumentException("a count of " + value + " is negative");
    }
  }

  /**
   * Reads a count.
   *
   * @param text a decimal number, and {@code k}, {@code m}, {@code b} or nothing; together a whole
   *     number
   * @throws IllegalArgumentException if it is not, or exceeds 2^63 - 1; the message says what to
   *     write
   */
  public static Count parse(String text) {
    Matcher matcher = TEXT.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw notACount(text, null);
    }
    int digits =
        switch (matcher.group(2)) {
          case "k" -> 3;
          case "m" -> 6;
          case "b" -> 9;
          default -> 0;
        };
    try {
      return new Count(new BigDecimal(matcher.group(1)).scaleByPowerOfTen(digits).longValueExact());
    } catch (ArithmeticException e) {
      throw notACount(text, e);
    }
  }

  private static IllegalArgumentException notACount(String text, Exception cause) {
    return new IllegalArgumentException(
        "'%s' is not a count: write a whole number, such as 200, 64k (thousand), 400m (million) or 2b (billion)"
            .formatted(text),
        cause);
  }
}
