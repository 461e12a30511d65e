// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import com.google.errorprone.annotations.FormatMethod;
import java.util.List;
import java.util.Locale;

/**
 * A plot of bus bandwidth over size as SVG, with one line per method and a logarithmic size axis.
 */
final class BandwidthPlot {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 480;
  private static final int LEFT = 60;
  private static final int RIGHT = 210;
  private static final int TOP = 40;
  private static final int BOTTOM = 50;
  private static final List<String> COLORS =
      List.of(
          "#0b6e4f", "#1f77b4", "#6baed6", "#9467bd", "#17becf", "#d62728", "#ff7f0e", "#bcbd22",
          "#7f7f7f", "#8c564b", "#e377c2", "#2ca02c", "#aec7e8", "#ff9896", "#c5b0d5", "#000000");

  private final Report report;
  private final List<Long> sizes;
  private final double top;

  BandwidthPlot(Report report) {
    this.report = report;
    this.sizes = report.measurements().stream().map(Measurement::bytes).distinct().toList();
    double most =
        report.measurements().stream().mapToDouble(Measurement::busBandwidth).max().orElse(1);
    double step = Math.pow(10, Math.floor(Math.log10(Math.max(most, 1e-3)))) / 2;
    this.top = Math.ceil(Math.max(most, 1e-3) / step) * step;
  }

  String svg() {
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
            .formatted(WIDTH, HEIGHT));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    svg.append(
        text(
            LEFT,
            20,
            "start",
            "All-to-all on %d x %s: bytes leaving each PE, GB/s"
                .formatted(report.devices().size(), report.devices().getFirst())));
    axes(svg);
    List<String> methods =
        report.measurements().stream().map(Measurement::method).distinct().toList();
    for (int i = 0; i < methods.size(); i++) {
      line(svg, methods.get(i), COLORS.get(i % COLORS.size()), i);
    }
    return svg.append("</svg>\n").toString();
  }

  private void axes(StringBuilder svg) {
    for (int i = 0; i <= 5; i++) {
      double value = top * i / 5;
      svg.append(
          format(
              "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>%n",
              LEFT, y(value), WIDTH - RIGHT, y(value)));
      svg.append(text(LEFT - 6, y(value) + 4, "end", format("%.4g", value)));
    }
    int every = Math.max(1, sizes.size() / 10);
    for (int i = 0; i < sizes.size(); i += every) {
      svg.append(text(x(i), HEIGHT - BOTTOM + 18, "middle", SizeRange.format(sizes.get(i))));
    }
    svg.append(text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle", "bytes sent by each PE"));
  }

  private void line(StringBuilder svg, String method, String color, int index) {
    StringBuilder points = new StringBuilder();
    for (Measurement m : report.measurements()) {
      if (m.method().equals(method)) {
        points.append(format("%.1f,%.1f ", x(sizes.indexOf(m.bytes())), y(m.busBandwidth())));
      }
    }
    svg.append(
        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%n"
            .formatted(color, points.toString().strip()));
    double at = TOP + 18.0 * index + 10;
    svg.append(
        format(
            "<rect x=\"%d\" y=\"%.1f\" width=\"14\" height=\"4\" fill=\"%s\"/>%n",
            WIDTH - RIGHT + 16, at - 5, color));
    svg.append(text(WIDTH - RIGHT + 36, at, "start", method));
  }

  private double x(int index) {
    return LEFT + (double) (WIDTH - LEFT - RIGHT) * index / Math.max(1, sizes.size() - 1);
  }

  private double y(double value) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top;
  }

  private static String text(double x, double y, String anchor, String words) {
    return format(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, words);
  }

  @FormatMethod
  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
