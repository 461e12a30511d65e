// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A text table that can be printed line by line: each column is as wide as its heading or its given
 * width. There are two lines of headings: those of groups of columns, and those of columns.
 */
public final class Table {
  /**
   * One column.
   *
   * @param group heading of its group; may be empty
   * @param width width of its values in characters
   * @param left whether values are left-aligned
   */
  public record Column(String group, String label, int width, boolean left) {
    /** A column of names. */
    public static Column name(String label, int width) {
      return new Column("", label, width, true);
    }

    /** A column of numbers. */
    public static Column number(String group, String label, int width) {
      return new Column(group, label, width, false);
    }

    private int characters() {
      return Math.max(width, label.length());
    }
  }

  private static final String GAP = "  ";

  private final List<Column> columns;
  private final int[] widths;

  public Table(List<Column> columns) {
    this.columns = List.copyOf(columns);
    this.widths = columns.stream().mapToInt(Column::characters).toArray();
    widenForGroups();
  }

  /** Makes the last column of each group so wide that the group's heading fits. */
  private void widenForGroups() {
    for (int i = 0; i < columns.size(); i = endOfGroup(i)) {
      int missing = columns.get(i).group().length() - widthOfGroup(i);
      widths[endOfGroup(i) - 1] += Math.max(0, missing);
    }
  }

  private int endOfGroup(int start) {
    int i = start + 1;
    while (i < columns.size() && columns.get(i).group().equals(columns.get(start).group())) {
      i++;
    }
    return i;
  }

  private int widthOfGroup(int start) {
    int end = endOfGroup(start);
    return IntStream.range(start, end).map(i -> widths[i]).sum() + (end - start - 1) * GAP.length();
  }

  /** As below, without colors. */
  public String add(List<String> values) {
    return add(values, (column, text) -> text);
  }

  /**
   * Returns the line of a row.
   *
   * @param values one per column
   * @param paint colors the text of a column, given its number from 0
   * @throws IllegalArgumentException if there are more or fewer values than columns
   */
  public String add(List<String> values, BiFunction<Integer, String, String> paint) {
    if (values.size() != columns.size()) {
      throw new IllegalArgumentException(
          values.size() + " values for " + columns.size() + " columns");
    }
    return line(values, paint);
  }

  /** Returns the headings as text, several lines. */
  public String header() {
    String labels = line(columns.stream().map(Column::label).toList(), (column, text) -> text);
    String rule = IntStream.of(widths).mapToObj("-"::repeat).collect(Collectors.joining(GAP));
    return groups() + labels + "\n" + rule;
  }

  private String line(List<String> values, BiFunction<Integer, String, String> paint) {
    return IntStream.range(0, columns.size())
        .mapToObj(i -> paint.apply(i, padded(values.get(i), i)))
        .collect(Collectors.joining(GAP))
        .stripTrailing();
  }

  private String padded(String value, int column) {
    String space = " ".repeat(Math.max(0, widths[column] - value.length()));
    return columns.get(column).left() ? value + space : space + value;
  }

  /** Returns the line of groups, each above its columns; empty if there are none. */
  private String groups() {
    if (columns.stream().allMatch(column -> column.group().isEmpty())) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < columns.size(); i = endOfGroup(i)) {
      String group = columns.get(i).group();
      text.append(" ".repeat(widthOfGroup(i) - group.length())).append(group).append(GAP);
    }
    return text.toString().stripTrailing() + "\n";
  }
}
