// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Gain;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.cli.TextTable;
import io.symshuffle.plugin.config.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleBiFunction;
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
      plain("link", 7, true, Result::rate, result -> "", Report.Total::rate);
    }
    plain(plan.noun(), plan.kills() ? 17 : 11, true, Result::job, result -> "", total -> "total");
    if (plan.isOfCases()) {
      number("rows", result -> Figures.count(result.rows()));
      number("partitions", result -> Integer.toString(result.partitions()));
      number("base", result -> Figures.seconds(result.baseSeconds()));
    }
    perManager(
        SECONDS_OF_RUNS,
        SECONDS,
        (result, i) -> entry(result, i).median(),
        Figures::seconds,
        (total, i) -> Figures.seconds(total.seconds().get(i)));
    gains("times faster", (result, i) -> Groups.gain(results.get(), result, i));
    if (onHosts) {
      perManager(
          "bytes on the links",
          BYTES,
          (result, i) -> result.costs().get(i).medianSentBytes(),
          bytes -> ByteSize.text((long) bytes),
          (total, i) -> ByteSize.text(total.sentBytes().get(i).longValue()));
      perManager(
          "CPU seconds",
          SECONDS,
          (result, i) -> result.costs().get(i).medianCpuSeconds(),
          Figures::seconds,
          (total, i) -> "");
    }
    if (plan.isOfCases()) {
      perManager(
          "above base",
          SECONDS,
          (result, i) -> result.above(i).orElse(Double.NaN),
          Figures::seconds,
          (total, i) -> "");
      gains("times less", Result::exchangeGain);
      if (plan.kills()) {
        perManager(
            "tasks",
            SECONDS,
            (result, i) -> entry(result, i).figures().tasks(),
            tasks -> Integer.toString((int) tasks),
            (total, i) -> "");
      }
    } else {
      perManager(
          "shuffle bytes",
          BYTES,
          (result, i) -> entry(result, i).figures().bytesWritten(),
          bytes -> ByteSize.text((long) bytes),
          (total, i) -> "");
      plain(
          "rows",
          6,
          false,
          Columns::rows,
          result -> result.outcome().same() && !rows(result).equals("-") ? "" : "bad",
          total -> "");
    }
  }

  List<Column> all() {
    return List.copyOf(all);
  }

  TextTable table() {
    return new TextTable(
        all.stream()
            .map(
                column ->
                    new TextTable.Column(
                        column.group(), column.label(), column.width(), column.name()))
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

  private void number(String label, Function<Result, String> text) {
    plain(label, 6, false, text, result -> "", total -> "");
  }

  /** A column that belongs to no manager. */
  private void plain(
      String label,
      int width,
      boolean name,
      Function<Result, String> text,
      Function<Result, String> style,
      Function<Report.Total, String> total) {
    all.add(new Column("", label, width, name, text, result -> Double.NaN, style, 0, total));
  }

  /**
   * A column per manager.
   *
   * @param value the value of a result on the manager with an index, unless it failed there
   * @param sum the value of a sum of jobs on the manager with an index
   */
  private void perManager(
      String group,
      int width,
      ToDoubleBiFunction<Result, Integer> value,
      DoubleFunction<String> text,
      BiFunction<Report.Total, Integer, String> sum) {
    for (int i = 0; i < managers.size(); i++) {
      int manager = i;
      ToDoubleFunction<Result> size =
          result ->
              entry(result, manager).succeeded()
                  ? value.applyAsDouble(result, manager)
                  : Double.NaN;
      all.add(
          new Column(
              group,
              managers.get(manager),
              width,
              false,
              result ->
                  !Double.isNaN(size.applyAsDouble(result))
                      ? text.apply(size.applyAsDouble(result))
                      : entry(result, manager).failed() ? "failed" : "-",
              size,
              result -> entry(result, manager).failed() ? "bad" : "",
              manager,
              total -> sum.apply(total, manager)));
    }
  }

  /** Ratios to the first manager with their scatter. Only what is beyond it has a color. */
  private void gains(String group, BiFunction<Result, Integer, Optional<Gain>> value) {
    for (int i = 1; i < managers.size(); i++) {
      int manager = i;
      all.add(
          new Column(
              group,
              managers.get(manager),
              12,
              false,
              result -> value.apply(result, manager).map(Gain::text).orElse("-"),
              result -> Double.NaN,
              result -> value.apply(result, manager).map(Gain::style).orElse(""),
              manager,
              total -> ""));
    }
  }

  private static Entry entry(Result result, int manager) {
    return result.outcome().entries().get(manager);
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
