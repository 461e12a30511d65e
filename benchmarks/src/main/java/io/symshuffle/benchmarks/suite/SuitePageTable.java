// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.Html;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All figures of a suite as an HTML table. */
final class SuitePageTable {
  private record Group(String title, Function<Entry, String> figure) {}

  private static final List<Group> GROUPS =
      List.of(
          new Group("Seconds", entry -> Figures.seconds(entry.median())),
          new Group("Shuffle bytes", entry -> Figures.bytes(entry.figures().bytesWritten())),
          new Group("Write time, s", entry -> Figures.seconds(entry.figures().writeSeconds())),
          new Group("Fetch wait, s", entry -> Figures.seconds(entry.figures().fetchWaitSeconds())));

  private SuitePageTable() {}

  static String html(SuiteReport report) {
    int managers = report.managers().size();
    StringBuilder html =
        new StringBuilder(
            "<section>\n<h2>All figures</h2>\n<div class=\"wide\"><table>\n<thead>\n<tr><th></th>");
    for (Group group : GROUPS) {
      html.append("<th colspan=\"%d\">%s</th>".formatted(managers, group.title()));
      if (group.equals(GROUPS.getFirst()) && managers > 1) {
        html.append("<th colspan=\"%d\">Speed-up</th>".formatted(managers - 1));
      }
    }
    html.append("<th></th></tr>\n<tr><th>Query</th>");
    for (Group group : GROUPS) {
      report.managers().forEach(name -> html.append(cell("th", "", name)));
      if (group.equals(GROUPS.getFirst())) {
        report.managers().stream().skip(1).forEach(name -> html.append(cell("th", "", name)));
      }
    }
    html.append("<th>Rows</th></tr>\n</thead>\n<tbody>\n");
    report.queries().forEach(query -> html.append(row(query)));
    return html.append("</tbody>\n</table></div>\n</section>\n").toString();
  }

  private static String row(Outcome query) {
    StringBuilder html = new StringBuilder("<tr>" + cell("td", "", query.name()));
    for (Group group : GROUPS) {
      html.append(
          query.entries().stream()
              .map(
                  entry ->
                      entry.succeeded()
                          ? cell("td", "", group.figure().apply(entry))
                          : cell("td", "slower", "failed"))
              .collect(Collectors.joining()));
      if (group.equals(GROUPS.getFirst())) {
        for (int manager = 1; manager < query.entries().size(); manager++) {
          OptionalDouble speedUp = query.speedUp(manager);
          html.append(cell("td", style(speedUp), Figures.ratio(speedUp)));
        }
      }
    }
    html.append(
        query.failedAlike()
            ? cell("td", "slower", "-")
            : query.same()
                ? cell("td", "", Figures.count(query.entries().getFirst().rows()))
                : cell("td", "slower", "differ"));
    return html.append("</tr>\n").toString();
  }

  private static String style(OptionalDouble speedUp) {
    if (speedUp.isEmpty() || Math.abs(speedUp.getAsDouble() - 1) < SuiteReport.NOISE) {
      return "";
    }
    return speedUp.getAsDouble() > 1 ? "faster" : "slower";
  }

  private static String cell(String tag, String style, String text) {
    String attribute = style.isEmpty() ? "" : " class=\"" + style + "\"";
    return "<" + tag + attribute + ">" + Html.text(text) + "</" + tag + ">";
  }
}
