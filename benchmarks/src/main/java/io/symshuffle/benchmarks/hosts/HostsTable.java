// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.hosts;

import io.symshuffle.benchmarks.hosts.HostsResult.Cost;
import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.Table;
import io.symshuffle.benchmarks.report.Table.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** The table of the benchmark on hosts: a line per rate and job. */
final class HostsTable {
  private final int managers;
  private final Table table;

  HostsTable(List<String> managers) {
    this.managers = managers.size();
    List<Column> columns = new ArrayList<>();
    columns.add(Column.name("link", 7));
    columns.add(Column.name("job", 11));
    columns.add(Column.number("", "rows", 9));
    managers.forEach(name -> columns.add(Column.number("seconds", name, 7)));
    managers.stream()
        .skip(1)
        .forEach(
            name ->
                columns.add(Column.number("times faster than " + managers.getFirst(), name, 9)));
    managers.forEach(name -> columns.add(Column.number("bytes on the links", name, 10)));
    managers.forEach(name -> columns.add(Column.number("CPU seconds", name, 7)));
    this.table = new Table(columns);
  }

  String header() {
    return table.header();
  }

  /** Returns the line of a result, followed by more lines if there were problems. */
  String add(HostsResult result) {
    List<Entry> entries = result.outcome().entries();
    List<String> values = new ArrayList<>(List.of(result.rate(), result.job()));
    values.add(result.rows() == 0 ? "" : Figures.count(result.rows()));
    entries.forEach(
        entry -> values.add(entry.succeeded() ? Figures.seconds(entry.median()) : "failed"));
    for (int manager = 1; manager < managers; manager++) {
      values.add(Figures.ratio(result.outcome().speedUp(manager)));
    }
    for (int manager = 0; manager < managers; manager++) {
      boolean valid = entries.get(manager).succeeded();
      Cost cost = result.costs().get(manager);
      values.add(valid ? Figures.bytes(Math.round(cost.medianSentBytes())) : "-");
    }
    for (int manager = 0; manager < managers; manager++) {
      boolean valid = entries.get(manager).succeeded();
      Cost cost = result.costs().get(manager);
      values.add(valid ? Figures.seconds(cost.medianCpuSeconds()) : "-");
    }
    StringBuilder text = new StringBuilder(table.add(values));
    if (!result.outcome().same()) {
      text.append("\n  ").append(result.outcome().difference());
    }
    entries.stream()
        .filter(entry -> !entry.succeeded())
        .forEach(
            entry ->
                text.append("\n  ").append(entry.manager()).append(": ").append(entry.failure()));
    return text.toString();
  }

  /** Returns the line of the sums over all queries of a suite that succeeded on every manager. */
  String total(String rate, String name, List<HostsResult> queries) {
    List<HostsResult> valid =
        queries.stream().filter(query -> query.outcome().succeeded()).toList();
    List<String> values = new ArrayList<>(List.of(rate, name, ""));
    List<Double> seconds =
        sums(i -> valid.stream().mapToDouble(q -> q.outcome().entries().get(i).median()).sum());
    seconds.forEach(sum -> values.add(Figures.seconds(sum)));
    seconds.stream()
        .skip(1)
        .forEach(sum -> values.add(Figures.ratio(OptionalDouble.of(seconds.getFirst() / sum))));
    sums(i -> valid.stream().mapToDouble(q -> q.costs().get(i).medianSentBytes()).sum())
        .forEach(sum -> values.add(Figures.bytes(Math.round(sum))));
    sums(i -> valid.stream().mapToDouble(q -> q.costs().get(i).medianCpuSeconds()).sum())
        .forEach(sum -> values.add(Figures.seconds(sum)));
    return table.add(values);
  }

  private List<Double> sums(IntToDoubleFunction sumOfManager) {
    return IntStream.range(0, managers).mapToDouble(sumOfManager).boxed().toList();
  }
}
