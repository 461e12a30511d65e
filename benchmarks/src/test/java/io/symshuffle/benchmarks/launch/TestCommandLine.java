// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.Count;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A command line in the test's own process. It reads options as the real one does, whose class uses
 * picocli under another name in the jar that the tests of this module see.
 */
public final class TestCommandLine {
  private TestCommandLine() {}

  /** The command line of an object with picocli's annotations. */
  public static CommandLine of(Object command) {
    ITypeConverter<Integer> integer =
        text -> Math.toIntExact(TestCommandLine.<Count>read(Count::parse).convert(text).value());
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .registerConverter(ByteSize.class, read(ByteSize::parse))
        .registerConverter(Count.class, read(Count::parse))
        .registerConverter(Integer.class, integer)
        .registerConverter(int.class, integer);
  }

  private static <T> ITypeConverter<T> read(ITypeConverter<T> parser) {
    return text -> {
      try {
        return parser.convert(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    };
  }
}
