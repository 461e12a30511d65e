// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Gain;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.OtherWork;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.cli.Terminal;
import io.symshuffle.cli.Terminal.Color;
import io.symshuffle.cli.TextTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Reports a comparison: on the console, and as JSON and a page. The files have their names from the
 * start and are replaced after each job, so a run that is cut off leaves what it has, marked as
 * incomplete. Used by one thread; {@link #state} by any.
 */
final class ReportFiles {
  private final Plan plan;
  private RunInfo info;
  private final List<String> managers;
  private final Path json;
  private final Path page;
  private final OtherWork others;
  private final Console console;
  private final Columns columns;
  private final Terminal terminal = Terminal.here();
  private final TextTable table;
  private final List<Result> results = new ArrayList<>();
  private Result opening;
  private boolean hasHeader;

  /** What the files have; null before the run starts. */
  private volatile Report written;

  /**
   * @param page file for the page
   */
  ReportFiles(
      Plan plan, List<String> managers, Path json, Path page, OtherWork others, Console console) {
    this.plan = plan;
    this.managers = managers;
    this.json = json;
    this.page = page;
    this.others = others;
    this.console = console;
    this.columns = new Columns(plan, managers, () -> results);
    this.table = columns.table();
  }

  /**
   * Applications have started. The first time, this replaces the reports of an earlier run.
   *
   * @param now the circumstances, with all applications so far
   */
  void started(RunInfo now) throws IOException {
    info = now;
    write(report());
  }

  /** Reports the case that runs first; prints it when all managers have run. */
  void opening(Result result) throws IOException {
    opening = result;
    if (result.hasAllRuns(plan)) {
      openingLines(result).forEach(console::line);
    }
    write(report());
  }

  private List<String> openingLines(Result of) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "\nA job that only shuffles: %s rows into %d partitions"
            .formatted(Figures.count(of.rows()), of.partitions()));
    lines.add("  %-22s %6s s".formatted("without the shuffle", Figures.seconds(of.baseSeconds())));
    for (int i = 0; i < managers.size(); i++) {
      lines.add(openingLine(of, i));
    }
    of.problems().forEach(problem -> lines.add("  " + problem));
    return lines;
  }

  private String openingLine(Result of, int manager) {
    Entry entry = of.outcome().entries().get(manager);
    if (!entry.succeeded()) {
      return "  %-22s %s".formatted(managers.get(manager), entry.failed() ? "failed" : "     -");
    }
    String less =
        manager == 0 ? "" : of.exchangeGain(manager).map(ReportFiles::timesLess).orElse("");
    String shuffle =
        of.isAboveNoise(manager)
            ? "its shuffle takes %s s".formatted(Figures.seconds(of.above(manager).orElseThrow()))
            : "the time of its shuffle is below the noise";
    return "  %-22s %6s s; %s%s"
        .formatted(managers.get(manager), Figures.seconds(entry.median()), shuffle, less);
  }

  private static String timesLess(Gain gain) {
    return gain.isUnclear()
        ? "; the runs scatter too much to say how many times less"
        : ", times less: " + gain.text();
  }

  /** Adds a result, or replaces that of the same job. Prints it when all managers have run. */
  void add(Result result) throws IOException {
    results.removeIf(result::replaces);
    results.add(result);
    if (result.hasAllRuns(plan)) {
      print(result);
    }
    write(report());
  }

  private void print(Result result) {
    if (!hasHeader) {
      console.line("\n" + table.header());
      hasHeader = true;
    }
    String problems =
        result.problems().stream().map(text -> "\n  " + text).collect(Collectors.joining());
    String tied = result.outcome().tied() ? "\n  rows tie at the limit; compared without it" : "";
    console.line(line(columns, result) + tied + problems);
  }

  private String line(Columns of, Result result) {
    return table.line(of.line(result), (column, text) -> painted(of, result, column, text));
  }

  private String painted(Columns of, Result result, int column, String text) {
    return switch (of.all().get(column).style().apply(result)) {
      case "good" -> terminal.paint(Color.GOOD, text);
      case "bad" -> terminal.paint(Color.BAD, text);
      default -> text;
    };
  }

  /** Prints the end of the table and the summary; returns whether everything ran and was equal. */
  boolean finish() throws IOException {
    Report report = report();
    if (plan.jobs().size() > 1) {
      report.totals().forEach(total -> console.line(table.line(columns.line(total))));
      write(report);
    }
    for (int manager = 1; manager < managers.size(); manager++) {
      List<String> slower = report.slowerBeyondScatter(manager);
      if (!slower.isEmpty()) {
        console.line(
            "\nSlower with %s beyond the scatter of their runs: %s"
                .formatted(managers.get(manager), String.join(", ", slower)));
      }
    }
    console.line("\n" + report.summary());
    console.line("");
    Groups.sentences(report).forEach(sentence -> console.line(Figures.wrapped(sentence)));
    if (!report.busy().isEmpty()) {
      console.line("\n" + Figures.wrapped(report.busy()));
    }
    if (!plan.isOfCases()) {
      console.line("\n" + Figures.wrapped(Groups.YOUR_JOB));
    }
    console.line("\nJSON:   %s\nReport: %s".formatted(json, page));
    return report.good();
  }

  /**
   * Returns the results so far that have not been printed, since they do not have all runs, and
   * where the files are, for a run that is cut off; empty before it starts. A manager that has not
   * run a job has no time, and then there is no ratio.
   */
  String state() {
    Report report = written;
    if (report == null) {
      return "";
    }
    List<String> lines = new ArrayList<>();
    if (report.opening() != null && !report.opening().hasAllRuns(plan)) {
      lines.addAll(openingLines(report.opening()));
    }
    List<Result> unprinted =
        report.results().stream().filter(result -> !result.hasAllRuns(plan)).toList();
    if (!unprinted.isEmpty()) {
      lines.add("\nWithout all runs:\n" + table.header());
      Columns all = new Columns(plan, managers, report::results);
      unprinted.forEach(result -> lines.add(line(all, result)));
    }
    lines.add(
        "\nCut off in or after %s: all managers ran %d of %s, %d as often as planned. Marked as incomplete: %s, %s"
            .formatted(
                report.application(),
                report.compared(),
                plan.count(plan.jobs().size() * Math.max(1, plan.rates().size())),
                report.finished(),
                page,
                json));
    return String.join("\n", lines);
  }

  private Report report() {
    // A killed executor takes its CPU time along, which then seems to be that of others.
    String busy = plan.kills() ? "" : others.sentence();
    return new Report(info, plan, managers, opening, results, busy);
  }

  private void write(Report report) throws IOException {
    ReportFile.write(json, report);
    ReportFile.write(page, ComparisonPage.html(report));
    written = report;
  }
}
