// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.protocol.ResultColumns;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A row of a result for comparison. Floating-point values match if they differ by at most {@value
 * #TOLERANCE}, absolute or relative to the larger one: their sums depend on the order of partial
 * results, with any shuffle and from run to run.
 *
 * @param text the canonical row
 * @param exactText the values that must be identical
 * @param doubles the floating-point values; NaN for null and NaN
 */
record ComparedRow(String text, String exactText, double[] doubles, ResultColumns columns)
    implements Comparable<ComparedRow> {
  static final double TOLERANCE = 1e-9;

  static ComparedRow of(String line, ResultColumns columns) {
    if (columns.doubles().isEmpty()) {
      return new ComparedRow(line, line, new double[0], columns);
    }
    List<String> values = values(line);
    Set<Integer> doubles = Set.copyOf(columns.doubles());
    String exact =
        IntStream.range(0, values.size())
            // Nulls must be identical.
            .mapToObj(i -> doubles.contains(i) && isNumber(values.get(i)) ? "" : values.get(i))
            .collect(Collectors.joining("|"));
    double[] numbers =
        new TreeSet<>(doubles).stream().mapToDouble(i -> number(values.get(i))).toArray();
    return new ComparedRow(line, exact, numbers, columns);
  }

  /** Returns the row with only the columns of its order. */
  ComparedRow key() {
    List<String> values = values(text);
    List<Integer> keys = columns.keys();
    return of(
        keys.stream().map(values::get).collect(Collectors.joining("|")),
        new ResultColumns(
            List.of(),
            IntStream.range(0, keys.size())
                .filter(i -> columns.doubles().contains(keys.get(i)))
                .boxed()
                .toList()));
  }

  boolean matches(ComparedRow other) {
    return exactText.equals(other.exactText)
        && doubles.length == other.doubles.length
        && IntStream.range(0, doubles.length).allMatch(i -> near(doubles[i], other.doubles[i]));
  }

  @Override
  public int compareTo(ComparedRow other) {
    int exact = exactText.compareTo(other.exactText);
    return exact != 0 ? exact : Arrays.compare(doubles, other.doubles);
  }

  private static boolean near(double a, double b) {
    return Double.compare(a, b) == 0
        || Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.max(Math.abs(a), Math.abs(b)));
  }

  private static List<String> values(String line) {
    return Arrays.asList(line.split("\\|", -1));
  }

  private static boolean isNumber(String value) {
    return !value.equals("\\N");
  }

  private static double number(String value) {
    return isNumber(value) ? Double.parseDouble(value) : Double.NaN;
  }
}
