// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ComparisonSetup;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.ManagerChoice;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.AlternatingRuns;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.measure.Turns;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.OtherWork;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Runs jobs with all managers, at once or one at a time, and on links of all rates, in turn. */
public final class ComparisonRun {
  private final ComparisonSetup setup;
  private final SparkRuntime runtime;
  private final RunOptions options;
  private final Console console;

  public ComparisonRun(
      ComparisonSetup setup, SparkRuntime runtime, RunOptions options, Console console) {
    this.setup = setup;
    this.runtime = runtime;
    this.options = options;
    this.console = console;
  }

  /** The folder of the applications' folders. */
  public static Path logs(Path out) {
    return out.resolve("applications");
  }

  /**
   * Runs all jobs.
   *
   * @param prepare makes the applications ready for the jobs, after the opening case
   * @return the exit status of the command: 0 if everything ran and gave the same rows, otherwise 1
   * @throws CliException if applications do not start, die or exceed their limit, or a report
   *     cannot be written; the results so far are in the reports then
   */
  public int run(Plan plan, Consumer<Fleet> prepare) {
    Path out = options.out();
    OtherWork others = new OtherWork();
    try {
      ReportFiles reports =
          new ReportFiles(
              plan,
              setup.labels(),
              options.json().orElse(out.resolve(plan.fileName() + ".json")),
              out.resolve(plan.fileName() + ".html"),
              others,
              console);
      Measuring measuring =
          new Measuring(
              plan,
              setup.labels(),
              AlternatingRuns.rowsFolder(out),
              setup.cluster().limit(),
              reports,
              others,
              console);
      // What the user interrupts ends with this line, and what fails, too.
      TerminationHook hook =
          new TerminationHook(
              () -> {
                console.end(
                    "Interrupted: ending the applications, whose logs stay in " + logs(out) + ".");
                printState(reports);
              });
      try {
        runGroups(plan, reports, measuring, others, prepare);
        return reports.finish() ? 0 : 1;
      } catch (RuntimeException e) {
        if (!Application.isEnding()) {
          printState(reports);
        }
        throw e;
      } finally {
        hook.close();
      }
    } catch (IOException e) {
      throw new CliException("Cannot write to " + out + ": " + Failures.reason(e) + ".", e);
    }
  }

  private void printState(ReportFiles reports) {
    if (!reports.state().isEmpty()) {
      console.line(reports.state());
    }
  }

  private void runGroups(
      Plan plan,
      ReportFiles reports,
      Measuring measuring,
      OtherWork others,
      Consumer<Fleet> prepare)
      throws IOException {
    List<List<ManagerChoice>> groups = setup.groups();
    int total = groups.size() * setup.starts().number();
    int done = 0;
    RunInfo info = null;
    String where = where();
    for (int start = 0; start < setup.starts().number(); start++) {
      for (List<ManagerChoice> group : Turns.order(groups, start)) {
        Path logs = logs(options.out());
        if (total > groups.size()) {
          logs = logs.resolve("start" + (start + 1));
        }
        console.line(
            (setup.starts().oneAtATime()
                    ? "Starting application %d of %d".formatted(done + 1, total)
                    : "Starting " + group.size() + " application" + (group.size() == 1 ? "" : "s"))
                + ", logs in "
                + logs);
        others.begin();
        try (Fleet fleet = setup.start(group, runtime, logs, console)) {
          others.end();
          if (done == 0 && !others.sentence().isEmpty()) {
            console.line(Figures.wrapped(others.sentence()));
          }
          fleet.applications().forEach(this::introduce);
          info =
              info == null
                  ? RunInfo.now(where, fleet.ready(), setup.expertSettings())
                  : info.with(fleet.ready());
          reports.started(info);
          if (done == 0 && plan.opening().isPresent()) {
            measuring.open(fleet);
          }
          prepare.accept(fleet);
          measuring.on(fleet, done, total);
          done++;
        }
      }
    }
  }

  /** Returns where applications run, and says what readers of their numbers need to know of it. */
  private String where() {
    List<String> slow = setup.onSlowFiles(options.out());
    if (slow.isEmpty()) {
      return setup.where();
    }
    String names = String.join(", ", slow);
    console.line(
        names
            + ": their local folders are on ext4 without a journal, which creates files slowly"
            + " after many were deleted. Up to 200 partitions, sort shuffle creates a file for each"
            + " and is slower than on other disks: compare with sort-shm, too, or move"
            + " spark.local.dir.");
    return setup.where() + "; files of " + names + " on ext4 without a journal";
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
}
