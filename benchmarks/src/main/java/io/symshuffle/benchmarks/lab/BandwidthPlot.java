// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import io.symshuffle.benchmarks.report.Svg;
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

  private final String title;
  private final Report report;
  private final List<Long> sizes;
  private final double top;

  BandwidthPlot(String title, Report report) {
    this.title = title;
    this.report = report;
    this.sizes = report.measurements().stream().map(Measurement::bytes).distinct().toList();
    double most = report.measurements().stream().mapToDouble(Measurement::busGBps).max().orElse(1);
    this.top = Svg.end(most);
  }

  String svg() {
    Svg svg = new Svg(WIDTH, HEIGHT);
    svg.words(
        LEFT,
        20,
        "start",
        "%s on %d x %s: bytes leaving each PE, GB/s"
            .formatted(title, report.devices().size(), report.devices().getFirst()));
    axes(svg);
    List<String> methods =
        report.measurements().stream().map(Measurement::method).distinct().toList();
    for (int i = 0; i < methods.size(); i++) {
      line(svg, methods.get(i), COLORS.get(i % COLORS.size()), i);
    }
    return svg.text();
  }

  private void axes(Svg svg) {
    for (int i = 0; i <= 5; i++) {
      double value = top * i / 5;
      svg.grid(LEFT, WIDTH - RIGHT, y(value), String.format(Locale.ROOT, "%.4g", value));
    }
    int every = Math.max(1, sizes.size() / 10);
    for (int i = 0; i < sizes.size(); i += every) {
      svg.words(x(i), HEIGHT - BOTTOM + 18, "middle", SizeRange.format(sizes.get(i)));
    }
    svg.words((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle", "bytes of each PE's data");
  }

  private void line(Svg svg, String method, String color, int index) {
    for (Measurement m : report.measurements()) {
      if (m.method().equals(method)) {
        svg.point(x(sizes.indexOf(m.bytes())), y(m.busGBps()));
      }
    }
    svg.line(color);
    svg.legend(WIDTH - RIGHT + 16, TOP + 18.0 * index + 10, color, method);
  }

  private double x(int index) {
    return LEFT + (double) (WIDTH - LEFT - RIGHT) * index / Math.max(1, sizes.size() - 1);
  }

  private double y(double value) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top;
  }
}
