// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.Count;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/**
 * How all commands read sizes and counts, as {@link ByteSize} and {@link Count} do, and numbers.
 */
public final class OptionTypes {
  private OptionTypes() {}

  /** Makes a command and its subcommands read options of these types. */
  public static CommandLine register(CommandLine line) {
    return line.registerConverter(ByteSize.class, text -> read(text, ByteSize::parse))
        .registerConverter(Count.class, text -> read(text, Count::parse))
        .registerConverter(Integer.class, OptionTypes::integer)
        .registerConverter(int.class, OptionTypes::integer)
        .registerConverter(Long.class, text -> number(text, Long::valueOf, "a whole number"))
        .registerConverter(long.class, text -> number(text, Long::valueOf, "a whole number"))
        .registerConverter(Double.class, text -> number(text, Double::valueOf, "a number"))
        .registerConverter(double.class, text -> number(text, Double::valueOf, "a number"));
  }

  private static int integer(String text) {
    long value = read(text, Count::parse).value();
    if (value > Integer.MAX_VALUE) {
      throw new TypeConversionException("'" + text + "' is too large");
    }
    return (int) value;
  }

  private static <T> T number(String text, Function<String, T> parser, String kind) {
    try {
      return parser.apply(text);
    } catch (NumberFormatException e) {
      throw new TypeConversionException("'" + text + "' is not " + kind);
    }
  }

  private static <T> T read(String text, Function<String, T> parser) {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
