// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.curve;

import io.symshuffle.benchmarks.curve.CurveReport.Bandwidth;
import io.symshuffle.benchmarks.curve.CurveReport.Curve;
import io.symshuffle.benchmarks.curve.CurveReport.Point;
import io.symshuffle.benchmarks.curve.CurveReport.Source;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.Table;
import io.symshuffle.benchmarks.report.Table.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** The tables of a curve. */
final class CurveTables {
  private static final int WIDTH = 10;

  private CurveTables() {}

  /** Returns all tables as text. */
  static String text(CurveReport report) {
    StringBuilder text = new StringBuilder();
    for (Curve curve : report.curves()) {
      text.append(title(curve)).append('\n');
      Table table = table(curve);
      text.append(table.header()).append('\n');
      curve.points().forEach(point -> text.append(table.add(line(curve, point))).append('\n'));
      text.append(problems(curve)).append('\n');
    }
    if (!report.bandwidths().isEmpty()) {
      text.append("All-to-all, largest size\n");
      Table table = bandwidths();
      text.append(table.header()).append('\n');
      report.bandwidths().forEach(each -> text.append(table.add(line(each))).append('\n'));
    }
    return text.append(cutOff(report)).toString();
  }

  /** Returns all tables as Markdown. */
  static String markdown(CurveReport report) {
    StringBuilder text = new StringBuilder("# Seconds over GPUs\n\n");
    for (Curve curve : report.curves()) {
      Table table = table(curve);
      curve.points().forEach(point -> table.add(line(curve, point)));
      text.append("## ").append(title(curve)).append("\n\n");
      text.append(table.markdown()).append('\n').append(problems(curve));
    }
    if (!report.bandwidths().isEmpty()) {
      Table table = bandwidths();
      report.bandwidths().forEach(each -> table.add(line(each)));
      text.append("## All-to-all, largest size\n\n").append(table.markdown());
    }
    return text.append(cutOff(report)).toString();
  }

  private static String title(Curve curve) {
    return "%s: %d jobs that ran with all managers on all numbers of GPUs"
        .formatted(curve.title(), curve.jobs().size());
  }

  private static Table table(Curve curve) {
    List<Column> columns = new ArrayList<>(List.of(Column.number("", "GPUs", 4)));
    for (String group : List.of("seconds", "times faster", "geometric mean", "of fewest GPUs")) {
      curve.managers().stream()
          .skip(group.equals("seconds") || group.equals("of fewest GPUs") ? 0 : 1)
          .forEach(manager -> columns.add(Column.number(group, manager, WIDTH)));
    }
    return new Table(columns);
  }

  private static List<String> line(Curve curve, Point point) {
    List<String> line = new ArrayList<>(List.of(Integer.toString(point.gpus())));
    for (String manager : curve.managers()) {
      line.add(Figures.seconds(point.seconds(manager, curve.jobs())));
    }
    List<String> others = curve.managers().subList(1, curve.managers().size());
    for (String manager : others) {
      line.add(ratio(curve.timesFaster(manager, point)));
    }
    for (String manager : others) {
      line.add(ratio(curve.geometricMean(manager, point)));
    }
    for (String manager : curve.managers()) {
      line.add(ratio(curve.scaling(manager, point)));
    }
    return line;
  }

  private static String ratio(double value) {
    return Figures.ratio(OptionalDouble.of(value));
  }

  private static String problems(Curve curve) {
    return curve.points().stream()
        .flatMap(
            point ->
                point.jobs().stream()
                    .flatMap(
                        job ->
                            job.problems().stream()
                                .map(
                                    problem ->
                                        "%d GPUs, %s: %s%n"
                                            .formatted(point.gpus(), job.job(), problem))))
        .collect(Collectors.joining());
  }

  private static Table bandwidths() {
    return new Table(
        List.of(
            Column.number("", "PEs", 4),
            Column.name("method", 40),
            Column.number("", "size", WIDTH),
            Column.number("", "GB/s", WIDTH)));
  }

  private static List<String> line(Bandwidth bandwidth) {
    return List.of(
        Integer.toString(bandwidth.pes()),
        bandwidth.method(),
        Figures.bytes(bandwidth.bytes()),
        String.format(Locale.ROOT, "%.1f", bandwidth.busGBps()));
  }

  private static String cutOff(CurveReport report) {
    String files =
        report.sources().stream()
            .filter(source -> !source.complete())
            .map(Source::file)
            .collect(Collectors.joining(", "));
    return files.isEmpty() ? "" : "Cut off: " + files + "\n";
  }
}
