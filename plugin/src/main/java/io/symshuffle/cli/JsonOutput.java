// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/** The option {@code --json[=FILE]} of commands whose result is their output. */
public final class JsonOutput {
  /** The value of the option if no file is named. */
  public static final String STANDARD_OUTPUT = "-";

  private JsonOutput() {}

  /**
   * Checks before the work that the file can be written.
   *
   * @param file the value of the option; null if it is not given
   * @throws CliException if its folder does not exist, or the file is a folder
   */
  public static void check(Path file) {
    if (file != null && !isStandardOutput(file)) {
      fault(file)
          .ifPresent(
              reason -> {
                throw CliException.wrongUsage("Cannot write JSON: %s.".formatted(reason));
              });
    }
  }

  private static boolean isStandardOutput(Path file) {
    return file.toString().equals(STANDARD_OUTPUT);
  }

  private static Optional<String> fault(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      return Optional.of("the folder of " + file + " does not exist");
    }
    return Files.isDirectory(file) ? Optional.of(file + " is a folder") : Optional.empty();
  }

  /**
   * Prints the text, or prints JSON instead, or prints the text and writes JSON to a file.
   *
   * @param file the value of the option; null if it is not given
   * @throws CliException if the file cannot be written
   */
  public static void write(
      PrintWriter out, Path file, Supplier<String> text, Supplier<? extends JsonNode> json) {
    boolean onlyJson = file != null && isStandardOutput(file);
    out.print(onlyJson ? indented(json.get()) : text.get());
    out.flush();
    if (file != null && !onlyJson) {
      try {
        Files.writeString(file, indented(json.get()));
      } catch (IOException e) {
        String reason = fault(file).orElseGet(() -> Failures.reason(e));
        throw new CliException("Cannot write JSON: %s.".formatted(reason), e);
      }
    }
  }

  private static String indented(JsonNode json) {
    return json.toPrettyString() + "\n";
  }
}
