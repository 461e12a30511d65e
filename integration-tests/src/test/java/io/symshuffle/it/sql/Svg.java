// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import com.google.errorprone.annotations.FormatMethod;
import java.util.Locale;

/** Draws a plot as SVG on a white ground. Coordinates are in pixels from the top left corner. */
final class Svg {
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder points = new StringBuilder();

  /** Starts a plot of this size. */
  Svg(int width, int height) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"12\">%n",
        width, height);
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n");
  }

  /**
   * Returns where an axis from 0 should end.
   *
   * @param most the largest value, 0 or more
   * @return a round number above 0, at least as large
   */
  static double end(double most) {
    double positive = Math.max(most, 1e-3);
    double step = Math.pow(10, Math.floor(Math.log10(positive))) / 2;
    return Math.ceil(positive / step) * step;
  }

  /**
   * Writes words.
   *
   * @param anchor what is at x: {@code start}, {@code middle} or {@code end} of the words
   */
  void words(double x, double y, String anchor, String words) {
    add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, words);
  }

  /** Draws a horizontal line for a value of the vertical axis, with the value at its left. */
  void grid(int left, int right, double y, String value) {
    add(
        "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>%n",
        left, y, right, y);
    words(left - 6, y + 4, "end", value);
  }

  /** Adds a point to the line that {@link #line} draws. */
  void point(double x, double y) {
    points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
  }

  /** Draws a line through the points since the last line. */
  void line(String color) {
    add(
        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%n",
        color, points.toString().strip());
    points.setLength(0);
  }

  /** Ends the plot and returns it. */
  String text() {
    return text + "</svg>\n";
  }

  @FormatMethod
  private void add(String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments));
  }
}
