// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The option {@code --json[=FILE]} of commands whose result is their output. */
public final class JsonOutput {
  /** The value of the option if no file is named. */
  public static final String STANDARD_OUTPUT = "-";

  private JsonOutput() {}

  /**
   * Prints the text, or prints JSON instead, or prints the text and writes JSON to a file.
   *
   * @param out the standard output
   * @param file the value of the option; null if it is not given
   * @param text the result for people
   * @param json the result as JSON
   * @throws CliException if the file cannot be written
   */
  public static void write(
      PrintWriter out, Path file, Supplier<String> text, Supplier<String> json) {
    boolean onlyJson = file != null && file.toString().equals(STANDARD_OUTPUT);
    out.print(onlyJson ? json.get() : text.get());
    out.flush();
    if (file != null && !onlyJson) {
      try {
        Files.writeString(file, json.get());
      } catch (IOException e) {
        String reason =
            e instanceof NoSuchFileException
                ? "the folder of " + file + " does not exist"
                : Files.isDirectory(file) ? file + " is a folder" : Failures.reason(e);
        throw new CliException("Cannot write JSON: %s.".formatted(reason), e);
      }
    }
  }
}
