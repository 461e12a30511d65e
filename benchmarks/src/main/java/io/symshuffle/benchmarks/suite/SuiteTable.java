// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.Table;
import io.symshuffle.benchmarks.report.Table.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;

/** The text table of a suite: a line per query, and for each figure a column per manager. */
final class SuiteTable {
  private final int managers;
  private final Table table;

  SuiteTable(List<String> managers) {
    this.managers = managers.size();
    List<Column> columns = new ArrayList<>();
    columns.add(Column.name("query", 5));
    managers.forEach(name -> columns.add(Column.number("seconds", name, 7)));
    managers.stream()
        .skip(1)
        .forEach(
            name -> columns.add(Column.number("", managers.size() == 2 ? "speed-up" : name, 8)));
    managers.forEach(name -> columns.add(Column.number("shuffle bytes", name, 10)));
    managers.forEach(name -> columns.add(Column.number("write time, s", name, 7)));
    managers.forEach(name -> columns.add(Column.number("fetch wait, s", name, 7)));
    columns.add(Column.number("", "rows", 6));
    this.table = new Table(columns);
  }

  String header() {
    return table.header();
  }

  /** Returns the line of a query, followed by more lines if there were problems. */
  String add(Outcome query) {
    List<String> values = new ArrayList<>();
    values.add(query.name());
    addEach(values, query, entry -> Figures.seconds(entry.median()));
    for (int manager = 1; manager < managers; manager++) {
      values.add(Figures.ratio(query.speedUp(manager)));
    }
    addEach(values, query, entry -> Figures.bytes(entry.figures().bytesWritten()));
    addEach(values, query, entry -> Figures.seconds(entry.figures().writeSeconds()));
    addEach(values, query, entry -> Figures.seconds(entry.figures().fetchWaitSeconds()));
    values.add(rows(query));
    StringBuilder text = new StringBuilder(table.add(values));
    if (query.tied()) {
      text.append("\n  rows tie at the limit; compared without it");
    }
    if (!query.same()) {
      text.append("\n  ").append(query.difference());
    }
    query.entries().stream()
        .filter(entry -> !entry.succeeded())
        .forEach(
            entry ->
                text.append("\n  ").append(entry.manager()).append(": ").append(entry.failure()));
    return text.toString();
  }

  /** Returns the last line: the totals of all queries. */
  String total(List<Double> seconds) {
    List<String> values = new ArrayList<>();
    values.add("total");
    seconds.forEach(sum -> values.add(Figures.seconds(sum)));
    for (int manager = 1; manager < managers; manager++) {
      values.add(Figures.ratio(OptionalDouble.of(seconds.getFirst() / seconds.get(manager))));
    }
    for (int i = 0; i < 3 * managers + 1; i++) {
      values.add("");
    }
    return table.add(values);
  }

  private static String rows(Outcome query) {
    if (!query.same()) {
      return "DIFFER";
    }
    return query.entries().stream()
        .filter(Entry::succeeded)
        .findFirst()
        .map(entry -> Figures.count(entry.rows()))
        .orElse("-");
  }

  private static void addEach(List<String> values, Outcome query, Function<Entry, String> figure) {
    query
        .entries()
        .forEach(entry -> values.add(entry.succeeded() ? figure.apply(entry) : "failed"));
  }
}
