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
 * Rows as lines of text that are equal exactly if the rows are: columns parted by {@code |}, which
 * stands as {@code \|} inside a value, a line end as {@code \n}, null as {@code \N}.
 */
public final class CanonicalRows {
  private CanonicalRows() {}

  /**
   * Writes the rows in their order, one a line.
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

  /** The line of one row. */
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
      case Row row -> "{" + line(row) + "}";
      default ->
          value
              .toString()
              .replace("\\", "\\\\")
              .replace("|", "\\|")
              .replace("\n", "\\n")
              .replace("\r", "\\r");
    };
  }
}
