// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Lineup;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.Contest;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.benchmarks.workload.QueryTexts;
import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A suite from data to reports. */
final class SuiteRun {
  private static final Duration TIME_TO_GENERATE = Duration.ofHours(12);

  private final Lineup lineup;
  private final SparkRuntime runtime;
  private final Console console;

  SuiteRun(Lineup lineup, SparkRuntime runtime, Console console) {
    this.lineup = lineup;
    this.runtime = runtime;
    this.console = console;
  }

  /**
   * Runs the suite.
   *
   * @param plan what to run
   * @param tables folder of the tables
   * @param out folder for everything else
   * @param json file for the JSON report, if not in {@code out}
   * @return the exit status
   */
  int run(SuitePlan plan, Path tables, Path out, Optional<Path> json) {
    Path logs = out.resolve("applications");
    List<String> managers = lineup.labels();
    Duration limit = lineup.cluster().limit();
    try {
      Path rows = Contest.rowsFolder(out);
      List<String> wanted = plan.suite().tablesOf(plan.queries());
      Path data =
          new SuiteData(tables, plan.suite(), plan.scale(), console)
              .ensure(
                  wanted,
                  lineup.cluster().generator("data", logs),
                  runtime,
                  limit,
                  TIME_TO_GENERATE);
      console.line("Starting " + managers.size() + " applications, logs in " + logs);
      try (Fleet fleet = lineup.start(runtime, logs, console)) {
        fleet.applications().forEach(this::introduce);
        console.status("reading the tables");
        fleet.askAll(
            new Request.Tables(plan.suite().name(), wanted, data.toString()),
            "reading the tables",
            limit);
        Contest contest = new Contest(fleet.applications(), rows, limit, console);
        RunInfo info = RunInfo.now(lineup.where(), fleet.ready());
        SuiteReports reports = new SuiteReports(plan, info, managers, out, json, console);
        for (int i = 0; i < plan.queries().size(); i++) {
          console.steps(i, plan.queries().size());
          reports.add(outcome(contest, plan, plan.queries().get(i)));
        }
        console.steps(0, 0);
        return reports.finish() ? 0 : 1;
      }
    } catch (IOException e) {
      throw new CliException("Cannot write to " + out + ": " + e.getMessage() + ".", e);
    }
  }

  private void introduce(Application application) {
    console.line(
        "  "
            + application.name()
            + ": "
            + application.ready().shuffleManager()
            + ", "
            + application.ready().executors()
            + " executors");
  }

  private static Outcome outcome(Contest contest, SuitePlan plan, String query) {
    QueryTexts texts = plan.suite().queries();
    return contest.run(
        query,
        plan.warmUps(),
        plan.runs(),
        request(query, texts.text(query)),
        texts.unlimited(query).map(sql -> request(query + " without its limit", sql)));
  }

  private static Function<Path, Request> request(String name, String sql) {
    return file -> new Request.Query(name, sql, file.toString());
  }
}
