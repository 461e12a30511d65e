// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
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
   * @param label its heading
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
  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table without rows. */
  public Table(List<Column> columns) {
    this.columns = List.copyOf(columns);
  }

  /**
   * Adds a row.
   *
   * @param values one per column
   * @return the line to print
   * @throws IllegalArgumentException if there are more or fewer values than columns
   */
  public String add(List<String> values) {
    if (values.size() != columns.size()) {
      throw new IllegalArgumentException(
          values.size() + " values for " + columns.size() + " columns");
    }
    rows.add(List.copyOf(values));
    return line(values);
  }

  /** Returns the headings as text, several lines. */
  public String header() {
    String labels = line(columns.stream().map(Column::label).toList());
    String rule =
        columns.stream()
            .map(column -> "-".repeat(column.characters()))
            .collect(Collectors.joining(GAP));
    return groups() + labels + "\n" + rule;
  }

  /** Returns the whole table as Markdown. */
  public String markdown() {
    List<String> headings =
        columns.stream().map(column -> (column.label() + " " + column.group()).strip()).toList();
    String rule =
        columns.stream()
            .map(column -> column.left() ? "---" : "---:")
            .collect(Collectors.joining(" | ", "| ", " |"));
    return IntStream.range(-2, rows.size())
        .mapToObj(
            i ->
                switch (i) {
                  case -2 -> markdownLine(headings);
                  case -1 -> rule;
                  default -> markdownLine(rows.get(i));
                })
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String markdownLine(List<String> values) {
    return values.stream()
        .map(value -> value.replace("|", "\\|"))
        .collect(Collectors.joining(" | ", "| ", " |"));
  }

  private String line(List<String> values) {
    return IntStream.range(0, columns.size())
        .mapToObj(i -> padded(values.get(i), columns.get(i)))
        .collect(Collectors.joining(GAP))
        .stripTrailing();
  }

  private static String padded(String value, Column column) {
    String space = " ".repeat(Math.max(0, column.characters() - value.length()));
    return column.left() ? value + space : space + value;
  }

  /** Returns the line of groups, each above its columns; empty if there are none. */
  private String groups() {
    if (columns.stream().allMatch(column -> column.group().isEmpty())) {
      return "";
    }
    ToIntFunction<Integer> end =
        start -> {
          int i = start + 1;
          while (i < columns.size() && columns.get(i).group().equals(columns.get(start).group())) {
            i++;
          }
          return i;
        };
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < columns.size(); ) {
      int next = end.applyAsInt(i);
      int width =
          columns.subList(i, next).stream().mapToInt(c -> c.characters() + GAP.length()).sum();
      String group = columns.get(i).group();
      String shown = group.length() <= width - GAP.length() ? group : group.substring(0, width - 2);
      text.append(" ".repeat(width - GAP.length() - shown.length())).append(shown).append(GAP);
      i = next;
    }
    return text.toString().stripTrailing() + "\n";
  }
}
