// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Gain;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The columns of a comparison, which its table and its page have in common. */
final class Columns {
  /**
   * A column.
   *
   * @param group heading of its group; may be empty
   * @param width width of its values in characters
   * @param name whether it names the job, instead of measuring it
   * @param size its value as a number, for a bar; NaN for none
   * @param style {@code good}, {@code bad} or empty
   * @param manager index of the manager; 0 if it belongs to none
   * @param total its value for a sum of jobs, such as empty text
   */
  record Column(
      String group,
      String label,
      int width,
      boolean name,
      Function<Result, String> text,
      ToDoubleFunction<Result> size,
      Function<Result, String> style,
      int manager,
      Function<Report.Total, String> total) {}

  /** The group of the medians of runs. */
  static final String SECONDS_OF_RUNS = "seconds";

  /** Widths of values in characters. Two managers fit into a terminal of 80. */
  private static final int SECONDS = 7;

  private static final int BYTES = 9;

  private final List<String> managers;
  private final List<Column> all = new ArrayList<>();

  /**
   * @param results the results so far, whose runs tell how much ratios scatter
   */
  Columns(Plan plan, List<String> managers, Supplier<List<Result>> results) {
    this.managers = managers;
    boolean onHosts = !plan.rates().isEmpty();
    if (onHosts) {
      name("link", 7, Result::rate, Report.Total::rate);
    }
    name(plan.noun(), 11, Result::job, total -> "total");
    if (plan.isOfCases()) {
      number("rows", result -> Figures.count(result.rows()));
      number("partitions", result -> Integer.toString(result.partitions()));
      number("base", result -> Figures.seconds(result.baseSeconds()));
    }
    perManager(
        SECONDS_OF_RUNS,
        SECONDS,
        Entry::median,
        Figures::seconds,
        (total, i) -> Figures.seconds(total.seconds().get(i)));
    for (int i = 1; i < managers.size(); i++) {
      int manager = i;
      gain("times faster", i, result -> Groups.gain(results.get(), result, manager));
    }
    if (onHosts) {
      costs();
    }
    if (plan.isOfCases()) {
      aboveBase();
      return;
    }
    perManager(
        "shuffle bytes",
        BYTES,
        entry -> entry.figures().bytesWritten(),
        bytes -> Figures.bytes((long) bytes),
        (total, i) -> "");
    all.add(
        new Column(
            "",
            "rows",
            6,
            false,
            Columns::rows,
            result -> Double.NaN,
            result -> result.outcome().same() && !rows(result).equals("-") ? "" : "bad",
            0,
            total -> ""));
  }

  List<Column> all() {
    return List.copyOf(all);
  }

  Table table() {
    return new Table(
        all.stream()
            .map(
                column ->
                    new Table.Column(column.group(), column.label(), column.width(), column.name()))
            .toList());
  }

  /** Returns the values of a line of the table. */
  List<String> line(Result result) {
    return all.stream().map(column -> column.text().apply(result)).toList();
  }

  /** Returns the values of the last line of the table. */
  List<String> line(Report.Total total) {
    return all.stream().map(column -> column.total().apply(total)).toList();
  }

  private interface TotalOfManager {
    String text(Report.Total total, int manager);
  }

  private void name(
      String label,
      int width,
      Function<Result, String> text,
      Function<Report.Total, String> total) {
    all.add(new Column("", label, width, true, text, result -> Double.NaN, result -> "", 0, total));
  }

  private void number(String label, Function<Result, String> text) {
    all.add(
        new Column("", label, 6, false, text, result -> Double.NaN, result -> "", 0, total -> ""));
  }

  private void perManager(
      String group,
      int width,
      ToDoubleFunction<Entry> value,
      DoubleFunction<String> text,
      TotalOfManager sum) {
    for (int i = 0; i < managers.size(); i++) {
      int manager = i;
      ToDoubleFunction<Result> size =
          result -> {
            Entry entry = result.outcome().entries().get(manager);
            return entry.succeeded() ? value.applyAsDouble(entry) : Double.NaN;
          };
      add(group, i, width, size, text, sum);
    }
  }

  private void costs() {
    for (int i = 0; i < managers.size(); i++) {
      int manager = i;
      add(
          "bytes on the links",
          i,
          BYTES,
          result -> cost(result, manager, Result.Cost::medianSentBytes),
          bytes -> Figures.bytes((long) bytes),
          (total, of) -> Figures.bytes(total.sentBytes().get(of).longValue()));
    }
    for (int i = 0; i < managers.size(); i++) {
      int manager = i;
      add(
          "CPU seconds",
          i,
          SECONDS,
          result -> cost(result, manager, Result.Cost::medianCpuSeconds),
          Figures::seconds,
          (total, of) -> "");
    }
  }

  private static double cost(Result result, int manager, ToDoubleFunction<Result.Cost> value) {
    return result.outcome().entries().get(manager).succeeded()
        ? value.applyAsDouble(result.costs().get(manager))
        : Double.NaN;
  }

  private void add(
      String group,
      int manager,
      int width,
      ToDoubleFunction<Result> size,
      DoubleFunction<String> text,
      TotalOfManager sum) {
    all.add(
        new Column(
            group,
            managers.get(manager),
            width,
            false,
            result -> {
              double value = size.applyAsDouble(result);
              boolean failed = result.outcome().entries().get(manager).failed();
              return !Double.isNaN(value) ? text.apply(value) : failed ? "failed" : "-";
            },
            size,
            result -> Double.isNaN(size.applyAsDouble(result)) ? "bad" : "",
            manager,
            total -> sum.text(total, manager)));
  }

  private void aboveBase() {
    for (int i = 0; i < managers.size(); i++) {
      int manager = i;
      add(
          "above base",
          i,
          SECONDS,
          result -> result.above(manager).orElse(Double.NaN),
          Figures::seconds,
          (total, of) -> "");
    }
    for (int i = 1; i < managers.size(); i++) {
      int manager = i;
      gain("times less", i, result -> result.exchangeGain(manager));
    }
  }

  /** A ratio with its scatter. Only what is beyond it has a color. */
  private void gain(String group, int manager, Function<Result, Optional<Gain>> value) {
    all.add(
        new Column(
            group,
            managers.get(manager),
            12,
            false,
            result -> value.apply(result).map(Gain::text).orElse("-"),
            result -> Double.NaN,
            result ->
                value
                    .apply(result)
                    .map(gain -> gain.isFaster() ? "good" : gain.isSlower() ? "bad" : "")
                    .orElse(""),
            manager,
            total -> ""));
  }

  private static String rows(Result result) {
    if (!result.outcome().same()) {
      return "DIFFER";
    }
    return result.outcome().entries().stream()
        .filter(Entry::succeeded)
        .findFirst()
        .map(entry -> Figures.count(entry.rows()))
        .orElse("-");
  }
}
