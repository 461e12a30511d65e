// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The use of the heaps over time, as SVG that scales with the page. */
final class HeapChart {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 200;
  private static final int LEFT = 92;
  private static final int BOTTOM = 24;
  private static final int TOP = 16;
  private static final int LINES = 4;

  private final List<Snapshot.HeapPoint> points;

  HeapChart(List<Snapshot.HeapPoint> points) {
    this.points = points;
  }

  String html() {
    if (points.size() < 2) {
      return "<p class=\"sym-empty\">Shown after two reports of executors.</p>";
    }
    long from = points.get(0).time();
    long span = Math.max(1, points.get(points.size() - 1).time() - from);
    long highest =
        points.stream()
            .mapToLong(p -> Math.max(p.diskBytes(), p.hostBytes() + p.deviceBytes()))
            .max()
            .orElse(0);
    long step = step(highest);
    double top = step * LINES;
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg class=\"sym-chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Bytes in memory and on disk over time\">"
            .formatted(WIDTH, HEIGHT));
    for (int i = 0; i <= LINES; i++) {
      long value = step * i;
      int y = (int) Math.round(y((double) value, top));
      svg.append(
          "<line class=\"sym-grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
              .formatted(LEFT, WIDTH, y, y, LEFT - 6, y + 4, Html.bytes(value)));
    }
    svg.append(area("sym-host", p -> p.hostBytes() + p.deviceBytes(), from, span, top));
    boolean onGpus = points.stream().anyMatch(p -> p.deviceBytes() > 0);
    if (onGpus) {
      svg.append(area("sym-device", Snapshot.HeapPoint::deviceBytes, from, span, top));
    }
    svg.append(line("sym-disk", Snapshot.HeapPoint::diskBytes, from, span, top));
    svg.append(
        "<text x=\"%d\" y=\"%d\">0 s</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text></svg>"
            .formatted(LEFT, HEIGHT - 4, WIDTH - 4, HEIGHT - 4, duration(span)));
    return svg
        + "<p class=\"sym-legend\">"
        + key("sym-host", "in shared memory")
        + (onGpus ? key("sym-device", "in the memory of GPUs") : "")
        + key("sym-disk", "written to disk so far")
        + "</p>";
  }

  private static String key(String css, String label) {
    return "<span class=\"sym-key %s\"></span>%s".formatted(css, label);
  }

  /** Returns the distance of the lines: 1, 2, 4, ... 512 of a unit of 1024. */
  private static long step(long highest) {
    return Math.max(1, Long.highestOneBit(Math.max(1, (highest - 1) / LINES)) * 2);
  }

  private String area(
      String css, ToLongFunction<Snapshot.HeapPoint> value, long from, long span, double top) {
    return String.format(
        Locale.ROOT,
        "<path class=\"%s\" d=\"%s L%d %.1f L%d %.1f Z\"/>",
        css,
        path(value, from, span, top),
        WIDTH,
        y(0, top),
        LEFT,
        y(0, top));
  }

  private String line(
      String css, ToLongFunction<Snapshot.HeapPoint> value, long from, long span, double top) {
    return "<path class=\"%s\" fill=\"none\" d=\"%s\"/>"
        .formatted(css, path(value, from, span, top));
  }

  /** A step function, since the use of a heap is constant until the next report. */
  private String path(ToLongFunction<Snapshot.HeapPoint> value, long from, long span, double top) {
    StringBuilder path = new StringBuilder();
    double before = 0;
    for (Snapshot.HeapPoint point : points) {
      double x = LEFT + (double) (WIDTH - LEFT) * (point.time() - from) / span;
      double y = y((double) value.applyAsLong(point), top);
      if (path.isEmpty()) {
        path.append(String.format(Locale.ROOT, "M%.1f %.1f", x, y));
      } else {
        path.append(String.format(Locale.ROOT, " L%.1f %.1f L%.1f %.1f", x, before, x, y));
      }
      before = y;
    }
    return path.toString();
  }

  private static double y(double value, double top) {
    return TOP + (HEIGHT - BOTTOM - TOP) * (1 - value / top);
  }

  private static String duration(long millis) {
    long seconds = Math.round(millis / 1000.0);
    return seconds < 120 ? seconds + " s" : seconds / 60 + " min " + seconds % 60 + " s";
  }
}
