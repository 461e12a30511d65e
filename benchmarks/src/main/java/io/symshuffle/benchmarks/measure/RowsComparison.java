// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.protocol.ResultColumns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Compares two results as multisets of rows. If the query has an order, the columns of that order
 * must also be in the same sequence; rows that tie may be in any order. Values are equal if their
 * texts are, except for floating point, see {@link ComparedRow}.
 */
public final class RowsComparison {
  private static final int SHOWN = 3;
  private static final int SHOWN_CHARACTERS = 200;

  private RowsComparison() {}

  /**
   * Describes how two results differ.
   *
   * @param expectedName name of the manager of {@code expected}
   * @param expected file of canonical rows
   * @param actualName name of the manager of {@code actual}
   * @param actual file of canonical rows
   * @return the difference; empty if they are the same
   * @throws IOException if a file cannot be read
   */
  public static String difference(
      String expectedName, Path expected, String actualName, Path actual, ResultColumns columns)
      throws IOException {
    if (Files.mismatch(expected, actual) < 0) {
      return "";
    }
    List<ComparedRow> expectedRows = rows(expected, columns);
    List<ComparedRow> actualRows = rows(actual, columns);
    if (expectedRows.size() != actualRows.size()) {
      return expectedName
          + " returned "
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
        ? first("order", expectedName, keys(expectedRows), actualName, keys(actualRows))
        : rows;
  }

  /**
   * Returns whether two different results may both be right, as parts of the same longer result:
   * they have the same number of rows, the same order, and the same rows except for those that tie
   * with the last one, of which a limit may return any.
   *
   * @throws IOException if a file cannot be read
   */
  static boolean differInTiesAtTheEnd(Path expected, Path actual, ResultColumns columns)
      throws IOException {
    List<ComparedRow> expectedRows = rows(expected, columns);
    List<ComparedRow> actualRows = rows(actual, columns);
    if (expectedRows.size() != actualRows.size()
        || expectedRows.isEmpty()
        || !same(keys(expectedRows), keys(actualRows))) {
      return false;
    }
    ComparedRow last = expectedRows.getLast().key();
    Predicate<ComparedRow> tied = row -> row.key().matches(last);
    return same(
        expectedRows.stream().filter(tied.negate()).sorted().toList(),
        actualRows.stream().filter(tied.negate()).sorted().toList());
  }

  /**
   * Returns whether a result may be a part of another one: the other one has each of its rows at
   * least as often, judging by exact values.
   *
   * @throws IOException if a file cannot be read
   */
  static boolean isPart(Path part, Path whole, ResultColumns columns) throws IOException {
    Map<String, Integer> counts = new HashMap<>();
    rows(whole, columns).forEach(row -> counts.merge(row.exactText(), 1, Integer::sum));
    return rows(part, columns).stream()
        .allMatch(row -> counts.merge(row.exactText(), -1, Integer::sum) >= 0);
  }

  private static List<ComparedRow> rows(Path file, ResultColumns columns) throws IOException {
    try (var lines = Files.lines(file)) {
      return lines.map(line -> ComparedRow.of(line, columns)).toList();
    }
  }

  private static List<ComparedRow> keys(List<ComparedRow> rows) {
    return rows.stream().map(ComparedRow::key).toList();
  }

  private static boolean same(List<ComparedRow> expected, List<ComparedRow> actual) {
    return first("row", "", expected, "", actual).isEmpty();
  }

  private static String first(
      String what,
      String expectedName,
      List<ComparedRow> expected,
      String actualName,
      List<ComparedRow> actual) {
    StringBuilder text = new StringBuilder();
    int differing = Math.abs(expected.size() - actual.size());
    for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
      if (!expected.get(i).matches(actual.get(i)) && differing++ < SHOWN) {
        text.append("\n  ").append(expectedName).append(": ").append(shown(expected.get(i)));
        text.append("\n  ").append(actualName).append(": ").append(shown(actual.get(i)));
      }
    }
    return differing == 0
        ? ""
        : differing + " of " + expected.size() + " rows differ (" + what + ")" + text;
  }

  private static String shown(ComparedRow row) {
    String text = row.text();
    return text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS) + "...";
  }
}
