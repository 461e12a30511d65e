// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import java.io.BufferedWriter;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;

/**
 * Rows as lines of text that are equal exactly if the rows are: columns are separated by {@code |},
 * which is {@code \p} inside a value, so that a line can be split at each of them; a line end is
 * {@code \n} and null is {@code \N}.
 */
public final class CanonicalRows {
  private CanonicalRows() {}

  /**
   * Writes the rows in order, one per line.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(List<Row> rows, Path file) throws IOException {
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      for (Row row : rows) {
        writer.write(line(row));
        writer.write('\n');
      }
    }
  }

  /** Returns the line of a row. */
  public static String line(Row row) {
    return IntStream.range(0, row.size())
        .mapToObj(row::get)
        .map(CanonicalRows::text)
        .collect(Collectors.joining("|"));
  }

  private static String text(Object value) {
    return switch (value) {
      case null -> "\\N";
      case BigDecimal decimal -> decimal.toPlainString();
      case byte[] bytes -> HexFormat.of().formatHex(bytes);
      case Row row -> escaped("{" + line(row) + "}");
      default -> escaped(value.toString());
    };
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("|", "\\p").replace("\n", "\\n").replace("\r", "\\r");
  }
}
