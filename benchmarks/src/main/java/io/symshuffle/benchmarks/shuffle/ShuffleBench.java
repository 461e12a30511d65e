// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Lineup;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.Contest;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Progress;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.benchmarks.workload.ShuffleCase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs the shuffle-bound jobs on all managers in turn. */
final class ShuffleBench {
  /** Keep the number of partitions, and shuffle in joins. */
  static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.adaptive.coalescePartitions.enabled", "false",
          "spark.sql.autoBroadcastJoinThreshold", "-1");

  /**
   * What to run.
   *
   * @param cases the jobs
   * @param rows rows of a plain repartition, see {@link ShuffleCase#rows}
   * @param partitions numbers of partitions, each in turn
   * @param warmUps untimed runs
   * @param runs timed runs
   * @param note for readers of the report; may be empty
   */
  record Plan(
      List<ShuffleCase> cases,
      long rows,
      List<Integer> partitions,
      int warmUps,
      int runs,
      String note) {}

  private final Lineup lineup;
  private final SparkRuntime runtime;
  private final Console console;

  /** Creates a benchmark of a line-up with {@link #SETTINGS}. */
  ShuffleBench(Lineup lineup, SparkRuntime runtime, Console console) {
    this.lineup = lineup;
    this.runtime = runtime;
    this.console = console;
  }

  ShuffleReport run(Plan plan, Path folder, Progress<ShuffleReport> progress) throws IOException {
    Path logs = folder.resolve("applications");
    Path rows = Contest.rowsFolder(folder);
    List<String> managers = lineup.labels();
    console.line("Starting " + managers.size() + " applications, logs in " + logs);
    try (Fleet fleet = lineup.start(runtime, logs, console)) {
      Contest contest = new Contest(fleet.applications(), rows, lineup.cluster().limit(), console);
      RunInfo info = RunInfo.now(lineup.where(), fleet.ready());
      ShuffleTable table = new ShuffleTable(managers);
      console.line("\n" + table.header());
      List<ShuffleResult> results = new ArrayList<>();
      for (ShuffleCase job : plan.cases()) {
        Outcome base = run(contest, plan, job, plan.partitions().getFirst(), false);
        for (int partitions : plan.partitions()) {
          Outcome outcome = run(contest, plan, job, partitions, true);
          ShuffleResult result =
              new ShuffleResult(job.label(), job.rows(plan.rows()), partitions, base, outcome);
          results.add(result);
          console.line(table.add(result));
          progress.reached(report(info, plan, managers, results));
        }
      }
      return report(info, plan, managers, results);
    }
  }

  private static ShuffleReport report(
      RunInfo info, Plan plan, List<String> managers, List<ShuffleResult> results) {
    return new ShuffleReport(info, plan.runs(), plan.note(), managers, List.copyOf(results));
  }

  private static Outcome run(
      Contest contest, Plan plan, ShuffleCase job, int partitions, boolean exchange) {
    return contest.run(
        job.label() + " " + (exchange ? partitions : "base"),
        plan.warmUps(),
        plan.runs(),
        file ->
            new Request.Case(
                job.label(), job.rows(plan.rows()), partitions, exchange, file.toString()));
  }
}
