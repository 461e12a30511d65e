// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.benchmarks.report.RunInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reports a run: a line of the table after each query, and the page and the JSON file at the end.
 * If the run is interrupted, the results so far are in a JSON file with {@code .part} in its name.
 */
final class SuiteReports {
  private final SuitePlan plan;
  private final RunInfo info;
  private final List<String> managers;
  private final Path page;
  private final Path json;
  private final Path part;
  private final Console console;
  private final SuiteTable table;
  private final List<Outcome> outcomes = new ArrayList<>();

  SuiteReports(
      SuitePlan plan,
      RunInfo info,
      List<String> managers,
      Path out,
      Optional<Path> json,
      Console console) {
    this.plan = plan;
    this.info = info;
    this.managers = managers;
    this.page = out.resolve(plan.fileName() + ".html");
    this.json = json.orElse(out.resolve(plan.fileName() + ".json"));
    this.part = out.resolve(plan.fileName() + ".part.json");
    this.console = console;
    this.table = new SuiteTable(managers);
    console.line("\n" + table.header());
  }

  void add(Outcome outcome) throws IOException {
    outcomes.add(outcome);
    console.line(table.add(outcome));
    JsonFile.write(report(), part);
  }

  /** Writes the reports; returns whether all queries ran and gave the same rows. */
  boolean finish() throws IOException {
    SuiteReport report = report();
    Files.writeString(page, SuitePage.html(report));
    JsonFile.write(report, json);
    Files.deleteIfExists(part);
    if (outcomes.size() > 1) {
      console.line(table.total(report.totalSeconds()));
    }
    if (!report.slower().isEmpty()) {
      console.line(
          "\nMore than 3 % slower with "
              + managers.getLast()
              + ": "
              + String.join(", ", report.slower())
              + "\nBeyond the scatter of their runs: "
              + (report.slowerBeyondScatter().isEmpty()
                  ? "none"
                  : String.join(", ", report.slowerBeyondScatter())));
    }
    console.line("\nReport: " + page + "\nJSON:   " + json + "\n" + report.summary());
    return report.good();
  }

  private SuiteReport report() {
    return new SuiteReport(
        info,
        plan.command(),
        plan.suite().title(),
        plan.scale(),
        plan.warmUps(),
        plan.runs(),
        plan.note(),
        managers,
        List.copyOf(outcomes));
  }
}
