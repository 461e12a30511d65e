// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A text table that can be printed line by line: each column is as wide as its heading or its given
 * width. There are two lines of headings: those of groups of columns, and those of columns.
 */
public final class TextTable {
  /**
   * One column.
   *
   * @param group heading of its group; may be empty
   * @param width width of its values in characters
   * @param left whether values are left-aligned
   */
  public record Column(String group, String label, int width, boolean left) {}

  private static final String GAP = "  ";

  private final List<Column> columns;
  private final int[] widths;

  /** Creates a table whose values are at most as wide as its columns, and else not aligned. */
  public TextTable(List<Column> columns) {
    this.columns = List.copyOf(columns);
    this.widths = columns.stream().mapToInt(c -> Math.max(c.width(), c.label().length())).toArray();
    for (int i = 0; i < widths.length; i = endOfGroup(i)) {
      // The heading of a group fits above its columns.
      int missing = columns.get(i).group().length() - widthOfGroup(i);
      widths[endOfGroup(i) - 1] += Math.max(0, missing);
    }
  }

  /**
   * Formats rows, the first of which are the headings.
   *
   * @param left number of columns that are left-aligned; the others are right-aligned
   * @return a line per row
   */
  public static List<String> lines(List<List<String>> rows, int left) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < rows.getFirst().size(); i++) {
      int column = i;
      int width = rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
      columns.add(new Column("", "", width, i < left));
    }
    return rows.stream().map(new TextTable(columns)::line).toList();
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

  /** Returns the headings as text, several lines. */
  public String header() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < widths.length; i = endOfGroup(i)) {
      text.append(padded(columns.get(i).group(), widthOfGroup(i), false)).append(GAP);
    }
    String groups = text.toString().stripTrailing();
    String rule = IntStream.of(widths).mapToObj("-"::repeat).collect(Collectors.joining(GAP));
    return (groups.isEmpty() ? "" : groups + "\n")
        + line(columns.stream().map(Column::label).toList())
        + "\n"
        + rule;
  }

  /** Returns the line of a row, one value per column. */
  public String line(List<String> values) {
    return line(values, (column, text) -> text);
  }

  /**
   * Returns the line of a row.
   *
   * @param values one per column
   * @param paint colors the text of a column, given its number from 0
   */
  public String line(List<String> values, BiFunction<Integer, String, String> paint) {
    return IntStream.range(0, widths.length)
        .mapToObj(i -> paint.apply(i, padded(values.get(i), widths[i], columns.get(i).left())))
        .collect(Collectors.joining(GAP))
        .stripTrailing();
  }

  private static String padded(String value, int width, boolean left) {
    String space = " ".repeat(Math.max(0, width - value.length()));
    return left ? value + space : space + value;
  }
}
