// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** An output file that the user of a command named. */
public final class ReportFile {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ReportFile() {}

  /**
   * Writes a record as JSON, with the names of its components.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Path file, Record report) throws IOException {
    write(file, JSON.writeValueAsString(report));
  }

  /**
   * Writes or replaces the file atomically: readers see all of the old or all of the new text, even
   * if this process is killed. Special files such as {@code /dev/stdout} are written directly.
   *
   * @throws IOException if it cannot be written
   */
  public static void write(Path file, String text) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      Files.writeString(file, text);
      return;
    }
    Path written = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(written, text);
    Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
