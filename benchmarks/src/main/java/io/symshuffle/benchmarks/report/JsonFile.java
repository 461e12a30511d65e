// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;

/** Reports for programs: a record as JSON, with the names of its components. */
public final class JsonFile {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          // Reports also contain values that are derived from the components of records.
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private JsonFile() {}

  /**
   * Writes the record as {@link ReportFile#write} does.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Record report, Path file) throws IOException {
    ReportFile.write(file, JSON.writeValueAsString(report));
  }

  /**
   * Reads any JSON.
   *
   * @throws IOException if the file cannot be read, or is not JSON
   */
  public static JsonNode tree(Path file) throws IOException {
    return JSON.readTree(file.toFile());
  }

  /**
   * Reads a report that {@link #write} wrote.
   *
   * @throws IOException if the file cannot be read, or contains something else
   */
  public static <T extends Record> T read(Path file, Class<T> type) throws IOException {
    return JSON.readValue(file.toFile(), type);
  }
}
