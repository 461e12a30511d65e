// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;

/** Reports for programs: a record as JSON, with the names of its components. */
public final class JsonFile {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private JsonFile() {}

  /**
   * Writes the record as {@link ReportFile#write} does.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Record report, Path file) throws IOException {
    ReportFile.write(file, JSON.writeValueAsString(report));
  }
}
