// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.curve;

import io.symshuffle.benchmarks.curve.CurveReport.Curve;
import io.symshuffle.benchmarks.curve.CurveReport.Point;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.Svg;
import java.util.List;
import java.util.Locale;

/** A plot for each curve, one below the other: seconds over GPUs, with a line per manager. */
final class CurvePlot {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 340;
  private static final int LEFT = 60;
  private static final int RIGHT = 230;
  private static final int TOP = 50;
  private static final int BOTTOM = 50;
  private static final List<String> COLORS =
      List.of("#1f77b4", "#0b6e4f", "#d62728", "#9467bd", "#ff7f0e", "#7f7f7f");

  private final CurveReport report;

  CurvePlot(CurveReport report) {
    this.report = report;
  }

  String svg() {
    Svg svg = new Svg(WIDTH, HEIGHT * Math.max(1, report.curves().size()));
    for (int i = 0; i < report.curves().size(); i++) {
      new Panel(svg, report.curves().get(i), i * HEIGHT).draw();
    }
    return svg.text();
  }

  /** The plot of a curve, whose top is at this height. */
  private record Panel(Svg svg, Curve curve, int above) {
    void draw() {
      svg.words(LEFT, above + 20, "start", curve.title() + ": sum of medians of seconds over GPUs");
      double end = Svg.end(most());
      for (int i = 0; i <= 5; i++) {
        double value = end * i / 5;
        svg.grid(LEFT, WIDTH - RIGHT, y(value, end), String.format(Locale.ROOT, "%.4g", value));
      }
      List<Point> points = curve.points();
      for (int i = 0; i < points.size(); i++) {
        svg.words(
            x(i), above + HEIGHT - BOTTOM + 18, "middle", Integer.toString(points.get(i).gpus()));
      }
      svg.words(
          (LEFT + WIDTH - RIGHT) / 2.0, above + HEIGHT - BOTTOM + 36, "middle", "number of GPUs");
      for (int i = 0; i < curve.managers().size(); i++) {
        line(i, end);
      }
    }

    private double most() {
      return curve.points().stream()
          .flatMapToDouble(
              point ->
                  curve.managers().stream()
                      .mapToDouble(manager -> point.seconds(manager, curve.jobs())))
          .max()
          .orElse(1);
    }

    private void line(int number, double end) {
      String manager = curve.managers().get(number);
      String color = COLORS.get(number % COLORS.size());
      for (int i = 0; i < curve.points().size(); i++) {
        double seconds = curve.points().get(i).seconds(manager, curve.jobs());
        svg.point(x(i), y(seconds, end));
        svg.words(x(i), y(seconds, end) - 6, "middle", Figures.seconds(seconds));
      }
      svg.line(color);
      svg.legend(WIDTH - RIGHT + 16, above + TOP + 18.0 * number + 10, color, manager);
    }

    private double x(int index) {
      int margin = 30;
      return LEFT
          + margin
          + (double) (WIDTH - LEFT - RIGHT - 2 * margin)
              * index
              / Math.max(1, curve.points().size() - 1);
    }

    private double y(double value, double end) {
      return above + HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / end;
    }
  }
}
