// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The rate of a network.
 *
 * @param text as on the command line, such as 10gbit
 * @param bytesPerSecond in each direction
 */
record NetworkRate(String text, double bytesPerSecond) {
  private static final Pattern FORMAT = Pattern.compile("([0-9]{1,6}(?:\\.[0-9]{1,3})?)([mg])bit");
  private static final double BYTES_PER_MBIT = 1e6 / Byte.SIZE;

  NetworkRate {
    if (!(bytesPerSecond > 0)) {
      throw new IllegalArgumentException(text + " must be more than 0");
    }
  }

  /**
   * Reads a rate from the command line.
   *
   * @throws IllegalArgumentException if it is none
   */
  static NetworkRate parse(String text) {
    Matcher matcher = FORMAT.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a rate such as 10gbit or 500mbit".formatted(text));
    }
    double number = Double.parseDouble(matcher.group(1));
    return new NetworkRate(
        matcher.group(), number * BYTES_PER_MBIT * (matcher.group(2).equals("g") ? 1000 : 1));
  }

  /** For picocli. */
  static final class Converter implements ITypeConverter<NetworkRate> {
    @Override
    public NetworkRate convert(String text) {
      try {
        return parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
