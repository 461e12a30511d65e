// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Horizontal bars, a group of them for each label, one bar for each series. Plain elements rather
 * than a drawing: the chart takes the width that there is and its numbers are text.
 */
public final class BarChart {
  /**
   * One bar.
   *
   * @param value its length; 0 or more
   * @param shown its number as text
   */
  public record Bar(double value, String shown) {}

  private record Group(String label, List<Bar> bars) {}

  private final String title;
  private final List<String> series;
  private final List<Group> groups = new ArrayList<>();
  private double mark = Double.NaN;

  /** A chart without groups; {@code title} says what is shown and in which unit. */
  public BarChart(String title, List<String> series) {
    this.title = title;
    this.series = List.copyOf(series);
  }

  /**
   * Adds a group.
   *
   * @param bars one for each series
   */
  public void add(String label, List<Bar> bars) {
    if (bars.size() != series.size()) {
      throw new IllegalArgumentException(bars.size() + " bars for " + series.size() + " series");
    }
    groups.add(new Group(label, List.copyOf(bars)));
  }

  /** Draws a line at this value: what bars are to reach; shorter ones get another colour. */
  public void mark(double value) {
    mark = value;
  }

  /**
   * The chart as HTML.
   *
   * @param firstColour the number of the first series' colour, from 0
   */
  public String html(int firstColour) {
    double longest =
        groups.stream()
            .flatMap(group -> group.bars().stream())
            .mapToDouble(Bar::value)
            .filter(Double::isFinite)
            .max()
            .orElse(0);
    double full = Math.max(longest, Double.isNaN(mark) ? 0 : mark);
    String style = Double.isNaN(mark) ? "" : " style=\"--mark:" + percent(mark, full) + "\"";
    return "<section class=\"chart\"%s>\n<h2>%s</h2>\n%s<div class=\"groups%s\">\n%s</div>\n</section>\n"
        .formatted(
            style,
            Html.text(title),
            series.size() < 2 ? "" : legend(firstColour),
            Double.isNaN(mark) ? "" : " marked",
            groups.stream()
                .map(group -> html(group, full, firstColour))
                .collect(Collectors.joining()));
  }

  private String legend(int firstColour) {
    return IntStream.range(0, series.size())
        .mapToObj(
            i ->
                "<span><i class=\"s%d\"></i>%s</span>"
                    .formatted(firstColour + i, Html.text(series.get(i))))
        .collect(Collectors.joining("", "<p class=\"legend\">", "</p>\n"));
  }

  private String html(Group group, double full, int firstColour) {
    String bars =
        IntStream.range(0, series.size())
            .mapToObj(
                i -> {
                  Bar bar = group.bars().get(i);
                  return "<div class=\"bar\" title=\"%s, %s: %s\"><span class=\"track\"><i class=\"s%d%s\" style=\"width:%s\"></i></span><b>%s</b></div>"
                      .formatted(
                          Html.text(group.label()),
                          Html.text(series.get(i)),
                          Html.text(bar.shown()),
                          firstColour + i,
                          bar.value() < mark ? " short" : "",
                          percent(bar.value(), full),
                          Html.text(bar.shown()));
                })
            .collect(Collectors.joining("\n"));
    return "<div class=\"group\"><span class=\"label\">%s</span><div class=\"bars\">\n%s\n</div></div>\n"
        .formatted(Html.text(group.label()), bars);
  }

  private static String percent(double value, double full) {
    double share = full > 0 && Double.isFinite(value) ? 100 * value / full : 0;
    return String.format(Locale.ROOT, "%.2f%%", share);
  }
}
