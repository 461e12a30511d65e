// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.report.BarChart;
import io.symshuffle.benchmarks.report.BarChart.Bar;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.Html;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A suite's report as one page that needs no other file and no network. */
final class SuitePage {
  private final SuiteReport report;

  private SuitePage(SuiteReport report) {
    this.report = report;
  }

  static String html(SuiteReport report) {
    SuitePage page = new SuitePage(report);
    String title = "SymShuffle: " + report.suite() + " at scale " + Figures.scale(report.scale());
    return Html.page(
        title,
        "<h1>%s</h1>\n<p class=\"lead\">%s</p>\n"
                .formatted(Html.text(title), Html.text(page.lead()))
            + page.headline()
            + page.trouble()
            + page.speedUps()
            + "<div class=\"pair\">\n"
            + page.seconds()
            + page.bytes()
            + "</div>\n"
            + SuitePageTable.html(report)
            + page.facts()
            + NOTES);
  }

  private String lead() {
    return String.join(" against ", report.managers().reversed())
        + ": the same queries on the same tables, in turn.";
  }

  private String headline() {
    StringBuilder html = new StringBuilder("<div class=\"headline\">\n");
    for (int manager = 1; manager < report.managers().size(); manager++) {
      double speedUp = report.speedUp(manager);
      html.append(
          tile(
              speedUp >= 1 ? "good" : "bad",
              Figures.ratio(OptionalDouble.of(speedUp)) + "×",
              "geometric mean speed-up of " + report.managers().get(manager)));
    }
    html.append(tile("", Integer.toString(report.queries().size()), "queries"));
    html.append(
        tile(
            report.differing() == 0 ? "good" : "bad",
            Long.toString(report.differing()),
            "results differ"));
    if (report.failed() > 0) {
      html.append(tile("bad", Long.toString(report.failed()), "queries failed"));
    }
    return html.append("</div>\n").toString();
  }

  private static String tile(String style, String number, String label) {
    return "<div class=\"%s\"><b>%s</b><span>%s</span></div>\n"
        .formatted(style, Html.text(number), Html.text(label));
  }

  private String trouble() {
    String differences =
        report.queries().stream()
            .filter(query -> !query.same())
            .map(query -> pre(query.name() + ": " + query.difference()))
            .collect(Collectors.joining());
    String failures =
        report.queries().stream()
            .flatMap(
                query ->
                    query.entries().stream()
                        .filter(entry -> !entry.succeeded())
                        .map(
                            entry ->
                                pre(
                                    query.name()
                                        + ", "
                                        + entry.manager()
                                        + ": "
                                        + entry.failure())))
            .collect(Collectors.joining());
    return differences.isEmpty() && failures.isEmpty()
        ? ""
        : "<section class=\"trouble\">\n<h2>What went wrong</h2>\n"
            + differences
            + failures
            + "</section>\n";
  }

  private static String pre(String text) {
    return "<pre>" + Html.text(text) + "</pre>\n";
  }

  private String seconds() {
    return figures("Seconds (median)", Entry::median, entry -> Figures.seconds(entry.median()));
  }

  private String bytes() {
    return figures(
        "Bytes shuffled",
        entry -> entry.figures().bytesWritten(),
        entry -> Figures.bytes(entry.figures().bytesWritten()));
  }

  private String figures(
      String title, ToDoubleFunction<Entry> value, Function<Entry, String> shown) {
    BarChart chart = new BarChart(title, report.managers());
    for (Outcome query : report.queries()) {
      chart.add(
          query.name(),
          query.entries().stream()
              .map(
                  entry ->
                      entry.succeeded()
                          ? new Bar(value.applyAsDouble(entry), shown.apply(entry))
                          : new Bar(0, "failed"))
              .toList());
    }
    return chart.html(0);
  }

  private String speedUps() {
    List<String> rivals = report.managers().subList(1, report.managers().size());
    if (rivals.isEmpty()) {
      return "";
    }
    BarChart chart =
        new BarChart("Speed-up over " + report.managers().getFirst() + " (line: equal)", rivals);
    chart.mark(1);
    for (Outcome query : report.queries()) {
      chart.add(
          query.name(),
          IntStream.range(1, report.managers().size())
              .mapToObj(query::speedUp)
              .map(ratio -> new Bar(ratio.orElse(0), Figures.ratio(ratio) + "×"))
              .toList());
    }
    return chart.html(1);
  }

  private String facts() {
    return report.info().facts().entrySet().stream()
        .filter(fact -> !fact.getValue().isEmpty())
        .map(SuitePage::fact)
        .collect(
            Collectors.joining(
                "",
                "<section>\n<h2>Where and how</h2>\n<dl>\n",
                "<dt>Runs</dt><dd>%d to warm up and %d timed of each query</dd>\n%s</dl>\n</section>\n"
                    .formatted(report.warmUps(), report.runs(), note())));
  }

  private String note() {
    return report.note().isEmpty() ? "" : fact(Map.entry("Note", report.note()));
  }

  private static String fact(Map.Entry<String, String> fact) {
    return "<dt>%s</dt><dd>%s</dd>\n"
        .formatted(Html.text(fact.getKey()), Html.text(fact.getValue()));
  }

  private static final String NOTES =
      """
      <section class="notes">
      <h2>How to read this</h2>
      <ul>
      <li>One application for each manager runs throughout; queries take turns, and each round starts
      with another manager. A run is timed from the query's text to its rows at the driver.</li>
      <li>Rows are compared after every run, warm-ups too, to the letter but for floating point, whose
      last digits depend on the order of additions; where a query orders its rows, the order as well.
      Where rows tie at the place where a limit cuts, any of them may come: then the query runs once
      more without its limit, and all rows are compared.</li>
      <li>Bytes, write time and fetch wait are Spark's own task metrics, summed over all tasks of the
      run nearest to the median. What a manager counts as write time is its own affair: compare
      seconds first.</li>
      </ul>
      </section>
      """;
}
