// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import io.symshuffle.it.sql.StreamingReport.Sample;
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
    int height = TOP + PANELS.size() * PANEL + BOTTOM;
    Svg svg = new Svg(WIDTH, height);
    svg.words(
        LEFT,
        24,
        "start",
        String.format(
            Locale.ROOT,
            "A stateful streaming query of %,d micro-batches, restarted after %,d",
            report.lastBatches().getLast() + 1,
            report.lastBatches().getFirst() + 1));
    for (int i = 0; i < PANELS.size(); i++) {
      panel(svg, report, PANELS.get(i), TOP + i * PANEL);
    }
    for (int batch = 0; batch <= report.lastBatches().getLast() + 1; batch += 100) {
      svg.words(x(report, batch), height - BOTTOM + 18, "middle", Integer.toString(batch));
    }
    svg.words((LEFT + WIDTH - RIGHT) / 2.0, height - 10, "middle", "micro-batch");
    return svg.text();
  }

  private static void panel(Svg svg, StreamingReport report, Panel panel, int top) {
    double end = Svg.end(report.samples().stream().mapToDouble(panel.value).max().orElseThrow());
    int bottom = top + PANEL;
    svg.words(LEFT, top + TITLE - 8, "start", panel.title);
    for (double value : new double[] {0, end}) {
      String label = String.format(Locale.ROOT, "%.1f", value);
      svg.grid(LEFT, WIDTH - RIGHT, y(bottom, value, end), label);
    }
    for (Sample sample : report.samples()) {
      svg.point(x(report, sample.batch()), y(bottom, panel.value.applyAsDouble(sample), end));
    }
    svg.line("#0b6e4f");
  }

  private static double x(StreamingReport report, long batch) {
    return LEFT + (double) (WIDTH - LEFT - RIGHT) * batch / (report.lastBatches().getLast() + 1);
  }

  private static double y(int bottom, double value, double end) {
    return bottom - (PANEL - TITLE) * value / end;
  }
}
