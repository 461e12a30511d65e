// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import com.google.errorprone.annotations.FormatMethod;
import io.symshuffle.it.StreamingReport.Sample;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** A plot of a {@link StreamingReport} as SVG: one panel per quantity, over micro-batches. */
final class StreamingPlot {
  private static final int WIDTH = 900;
  private static final int PANEL = 110;
  private static final int LEFT = 60;
  private static final int RIGHT = 20;
  private static final int TOP = 50;
  private static final int BOTTOM = 50;

  /** Height of a panel's title. */
  private static final int TITLE = 30;

  private static final double KIB = 1 << 10;
  private static final double MIB = 1 << 20;

  private static final List<Panel> PANELS =
      List.of(
          new Panel("SymShuffle's heaps in use, KiB", s -> s.heapBytes() / KIB),
          new Panel("directory entries", Sample::directoryEntries),
          new Panel("Java heap of the driver after a collection, MiB", s -> s.driverBytes() / MIB),
          new Panel(
              "Java heaps of the executors after a collection, MiB", s -> s.executorBytes() / MIB),
          new Panel(
              "private memory of the executors' processes, MiB",
              s -> s.executorResidentBytes() / MIB));

  private record Panel(String title, ToDoubleFunction<Sample> value) {}

  private StreamingPlot() {}

  static String svg(StreamingReport report) {
    StringBuilder svg = new StringBuilder();
    int height = TOP + PANELS.size() * PANEL + BOTTOM;
    svg.append(
        format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"12\">%n",
            WIDTH, height));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    svg.append(
        text(
            LEFT,
            24,
            "start",
            format(
                "A stateful streaming query of %,d micro-batches, restarted after %,d",
                report.lastBatches().getLast() + 1, report.lastBatches().getFirst() + 1)));
    for (int i = 0; i < PANELS.size(); i++) {
      panel(svg, report, PANELS.get(i), TOP + i * PANEL);
    }
    for (int batch = 0; batch <= report.lastBatches().getLast() + 1; batch += 100) {
      svg.append(text(x(report, batch), height - BOTTOM + 18, "middle", Integer.toString(batch)));
    }
    svg.append(text((LEFT + WIDTH - RIGHT) / 2.0, height - 10, "middle", "micro-batch"));
    return svg.append("</svg>\n").toString();
  }

  private static void panel(StringBuilder svg, StreamingReport report, Panel panel, int top) {
    double most = report.samples().stream().mapToDouble(panel.value).max().orElseThrow();
    double step = Math.pow(10, Math.floor(Math.log10(Math.max(most, 1e-3)))) / 2;
    double end = Math.max(step, Math.ceil(most / step) * step);
    int bottom = top + PANEL;
    svg.append(text(LEFT, top + TITLE - 8, "start", panel.title));
    for (double value : new double[] {0, end}) {
      double y = y(bottom, value, end);
      svg.append(
          format(
              "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>%n",
              LEFT, y, WIDTH - RIGHT, y));
      svg.append(text(LEFT - 6, y + 4, "end", format("%.1f", value)));
    }
    StringBuilder points = new StringBuilder();
    for (Sample sample : report.samples()) {
      points.append(
          format(
              "%.1f,%.1f ",
              x(report, sample.batch()), y(bottom, panel.value.applyAsDouble(sample), end)));
    }
    svg.append(
        format(
            "<polyline fill=\"none\" stroke=\"#0b6e4f\" stroke-width=\"2\" points=\"%s\"/>%n",
            points.toString().strip()));
  }

  private static double x(StreamingReport report, long batch) {
    return LEFT + (double) (WIDTH - LEFT - RIGHT) * batch / (report.lastBatches().getLast() + 1);
  }

  private static double y(int bottom, double value, double end) {
    return bottom - (PANEL - TITLE) * value / end;
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
