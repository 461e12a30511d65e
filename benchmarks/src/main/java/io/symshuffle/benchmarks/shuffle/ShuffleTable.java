// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.Table;
import io.symshuffle.benchmarks.report.Table.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** The table of the shuffle benchmark: a line per case and number of partitions. */
final class ShuffleTable {
  private final Table table;

  ShuffleTable(List<String> managers) {
    List<Column> columns = new ArrayList<>();
    columns.add(Column.name("case", 11));
    columns.add(Column.number("", "rows", 9));
    columns.add(Column.number("", "partitions", 6));
    columns.add(Column.number("", "base", 6));
    managers.forEach(name -> columns.add(Column.number("seconds", name, 6)));
    managers.stream()
        .skip(1)
        .forEach(name -> columns.add(Column.number("speed-up end to end", name, 8)));
    managers.forEach(name -> columns.add(Column.number("above base", name, 6)));
    managers.stream()
        .skip(1)
        .forEach(
            name -> columns.add(Column.number("times less than " + managers.getFirst(), name, 9)));
    this.table = new Table(columns);
  }

  String header() {
    return table.header();
  }

  String markdown() {
    return table.markdown();
  }

  /** Returns the line of a result, followed by more lines if there were problems. */
  String add(ShuffleResult result) {
    List<Entry> entries = result.outcome().entries();
    List<String> values = new ArrayList<>();
    values.add(result.job());
    values.add(Figures.count(result.rows()));
    values.add(Integer.toString(result.partitions()));
    values.add(Figures.seconds(result.baseSeconds()));
    entries.forEach(
        entry -> values.add(entry.succeeded() ? Figures.seconds(entry.median()) : "failed"));
    for (int manager = 1; manager < entries.size(); manager++) {
      values.add(Figures.ratio(result.outcome().speedUp(manager)));
    }
    for (int manager = 0; manager < entries.size(); manager++) {
      OptionalDouble above = result.above(manager);
      values.add(above.isPresent() ? Figures.seconds(above.getAsDouble()) : "-");
    }
    for (int manager = 1; manager < entries.size(); manager++) {
      values.add(Figures.ratio(result.gain(manager)));
    }
    return table.add(values) + wrong(result.base()) + wrong(result.outcome());
  }

  private static String wrong(Outcome outcome) {
    StringBuilder text = new StringBuilder();
    if (!outcome.same()) {
      text.append("\n  ").append(outcome.difference());
    }
    outcome.entries().stream()
        .filter(entry -> !entry.succeeded())
        .forEach(
            entry ->
                text.append("\n  ").append(entry.manager()).append(": ").append(entry.failure()));
    return text.toString();
  }
}
