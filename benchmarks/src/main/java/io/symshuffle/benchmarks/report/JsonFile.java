// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;

/** A report for programs: the record as JSON, with the names of its components. */
public final class JsonFile {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private JsonFile() {}

  /**
   * Writes the record, see {@link ReportFile#write}.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Record report, Path file) throws IOException {
    ReportFile.write(file, JSON.writeValueAsString(report));
  }
}
