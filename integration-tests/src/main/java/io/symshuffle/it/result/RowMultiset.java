// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.result;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Row;

/** A multiset of rows. */
public final class RowMultiset {
  private static final int SHOWN_DIFFERENCES = 10;

  private final Map<List<Object>, Integer> counts = new HashMap<>();
  private final int rows;

  private RowMultiset(int rows) {
    this.rows = rows;
  }

  /**
   * Returns the rows, in any order.
   *
   * @param rows as collected
   */
  public static RowMultiset of(List<Row> rows) {
    RowMultiset set = new RowMultiset(rows.size());
    for (Row row : rows) {
      set.counts.merge(Values.of(row), 1, Integer::sum);
    }
    return set;
  }

  /** Returns the number of rows, duplicates counted. */
  public int rows() {
    return rows;
  }

  /**
   * Describes the first differences; empty if both contain the same rows.
   *
   * @param tolerance for top-level {@code float} and {@code double} columns, relative to the larger
   *     magnitude; 0 for equal values
   * @return a text to print, without a line feed at its end
   */
  public Optional<String> difference(RowMultiset expected, double tolerance) {
    List<List<Object>> unexpected = minus(expected);
    List<List<Object>> missing = expected.minus(this);
    if (tolerance > 0) {
      pairOff(unexpected, missing, tolerance);
    }
    if (unexpected.isEmpty() && missing.isEmpty()) {
      return Optional.empty();
    }
    StringBuilder text =
        new StringBuilder(
            "%d rows, expected %d; %d unexpected, %d missing"
                .formatted(rows, expected.rows, unexpected.size(), missing.size()));
    append(text, "unexpected", unexpected);
    append(text, "missing", missing);
    return Optional.of(text.toString());
  }

  /** Returns rows that the other one lacks, with multiplicity, in a fixed order. */
  private List<List<Object>> minus(RowMultiset other) {
    List<List<Object>> rest = new ArrayList<>();
    counts.forEach(
        (row, count) -> {
          int surplus = count - other.counts.getOrDefault(row, 0);
          rest.addAll(Collections.nCopies(Math.max(0, surplus), row));
        });
    rest.sort(Comparator.comparing(Values::show));
    return rest;
  }

  private static void pairOff(
      List<List<Object>> unexpected, List<List<Object>> missing, double tolerance) {
    unexpected.removeIf(
        row -> {
          for (int i = 0; i < missing.size(); i++) {
            if (isClose(row, missing.get(i), tolerance)) {
              missing.remove(i);
              return true;
            }
          }
          return false;
        });
  }

  private static boolean isClose(List<Object> left, List<Object> right, double tolerance) {
    if (left.size() != right.size()) {
      return false;
    }
    for (int i = 0; i < left.size(); i++) {
      if (!isClose(left.get(i), right.get(i), tolerance)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isClose(Object left, Object right, double tolerance) {
    if (left instanceof Double || left instanceof Float) {
      if (!(right instanceof Number number) || left.getClass() != right.getClass()) {
        return false;
      }
      double a = ((Number) left).doubleValue();
      double b = number.doubleValue();
      return Double.compare(a, b) == 0
          || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
    }
    return left == null ? right == null : left.equals(right);
  }

  private static void append(StringBuilder text, String what, List<List<Object>> rows) {
    rows.stream()
        .limit(SHOWN_DIFFERENCES)
        .forEach(row -> text.append("\n  %s: %s".formatted(what, Values.show(row))));
  }
}
