// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Compares two results row for row: as multisets of rows, and where the query orders, the columns
 * it orders by in their order as well (rows that tie there may stand in any order).
 */
public final class RowsComparison {
  private static final int SHOWN = 3;
  private static final int SHOWN_CHARACTERS = 200;

  private RowsComparison() {}

  /**
   * Says how the results differ.
   *
   * @param expectedName whose result {@code expected} is
   * @param expected a file of canonical rows
   * @param actualName whose result {@code actual} is
   * @param actual a file of canonical rows
   * @param keyColumns the columns, from 0, that the query orders by
   * @return empty if they are the same
   * @throws IOException if a file cannot be read
   */
  public static String difference(
      String expectedName, Path expected, String actualName, Path actual, List<Integer> keyColumns)
      throws IOException {
    if (Files.mismatch(expected, actual) < 0) {
      return "";
    }
    List<String> expectedRows = Files.readAllLines(expected);
    List<String> actualRows = Files.readAllLines(actual);
    if (expectedRows.size() != actualRows.size()) {
      return expectedName
          + " gave "
          + expectedRows.size()
          + " rows, "
          + actualName
          + " "
          + actualRows.size();
    }
    String rows =
        first(
            "row",
            expectedName,
            expectedRows.stream().sorted().toList(),
            actualName,
            actualRows.stream().sorted().toList());
    return rows.isEmpty()
        ? first(
            "order",
            expectedName,
            keys(expectedRows, keyColumns),
            actualName,
            keys(actualRows, keyColumns))
        : rows;
  }

  private static List<String> keys(List<String> rows, List<Integer> columns) {
    return rows.stream()
        .map(
            row -> {
              // A bar inside a value has a backslash before it.
              List<String> values = Arrays.asList(row.split("(?<!\\\\)\\|", -1));
              return columns.stream().map(values::get).collect(Collectors.joining("|"));
            })
        .toList();
  }

  private static String first(
      String what,
      String expectedName,
      List<String> expected,
      String actualName,
      List<String> actual) {
    StringBuilder text = new StringBuilder();
    int differing = 0;
    for (int i = 0; i < expected.size(); i++) {
      if (!expected.get(i).equals(actual.get(i)) && differing++ < SHOWN) {
        text.append("\n  ").append(expectedName).append(": ").append(shortened(expected.get(i)));
        text.append("\n  ").append(actualName).append(": ").append(shortened(actual.get(i)));
      }
    }
    return differing == 0
        ? ""
        : differing + " of " + expected.size() + " rows differ (" + what + ")" + text;
  }

  private static String shortened(String row) {
    return row.length() <= SHOWN_CHARACTERS ? row : row.substring(0, SHOWN_CHARACTERS) + "...";
  }
}
