// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ComparisonSetup;
import io.symshuffle.benchmarks.launch.Configuration;
import io.symshuffle.benchmarks.launch.Running;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.measure.RunResults;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.OtherWork;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs jobs with all managers: starts their applications one at a time, in turn, so that what
 * changes on the machine meanwhile affects all of them.
 */
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
   * @param prepare makes an application ready for the jobs
   * @return the exit status of the command: 0 if everything ran and gave the same rows, otherwise 1
   * @throws CliException if applications do not start, die or exceed their limit, or a report
   *     cannot be written; the results so far are in the reports then
   */
  public int run(Plan plan, Consumer<Application> prepare) {
    Path out = options.out();
    OtherWork others = new OtherWork();
    try {
      List<Configuration> all = setup.configurations();
      List<String> managers = all.stream().map(Configuration::name).toList();
      ReportFiles reports =
          new ReportFiles(
              plan,
              managers,
              options.json().orElse(out.resolve(plan.fileName() + ".json")),
              out.resolve(plan.fileName() + ".html"),
              others,
              console);
      Measuring measuring =
          new Measuring(
              plan, managers, RunResults.folder(out), setup.cluster().limit(), reports, console);
      // What the user interrupts ends with this line, and what fails, too.
      TerminationHook hook =
          new TerminationHook(
              () -> {
                console.end(
                    "Interrupted: ending the applications, whose logs stay in " + logs(out) + ".");
                printState(reports);
              });
      try {
        starts(plan, all, reports, measuring, others, prepare);
        return reports.finish() ? 0 : 1;
      } catch (RuntimeException e) {
        if (!TerminationHook.isEnding()) {
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

  private void starts(
      Plan plan,
      List<Configuration> all,
      ReportFiles reports,
      Measuring measuring,
      OtherWork others,
      Consumer<Application> prepare)
      throws IOException {
    RunInfo info = null;
    String where = where();
    int applications = plan.starts() * all.size();
    for (int application = 0; application < applications; application++) {
      Configuration configuration = all.get(Plan.managerOf(application, all.size()));
      Path logs = logs(options.out()).resolve("start" + (application / all.size() + 1));
      console.line(
          "Starting application %d of %d, logs in %s"
              .formatted(application + 1, applications, logs));
      try (Running running = setup.start(configuration, runtime, logs, console)) {
        Reply.Ready ready = running.application().ready();
        info =
            info == null
                ? RunInfo.now(where, ready, setup.expertSettings())
                : info.with(ready.applicationId());
        reports.started(info);
        console.line(
            "  %s: %s, %d executors"
                .formatted(configuration.name(), ready.shuffleManager(), ready.executors()));
        prepare.accept(running.application());
        others.begin();
        measuring.on(running);
        others.end();
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
}
