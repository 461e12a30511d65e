// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.ManagerChoice;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.Contest;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.RunInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs the shuffle-bound jobs on all managers in turn. */
final class ShuffleBench {
  /** Partitions stay as many as asked for, and joins are merged: or there is no shuffle to time. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.adaptive.coalescePartitions.enabled", "false",
          "spark.sql.autoBroadcastJoinThreshold", "-1");

  /**
   * How much is run.
   *
   * @param cases which jobs
   * @param rows of a plain repartition, see {@link ShuffleCase#rows}
   * @param partitions into how many partitions, each in turn
   * @param warmUps runs that are not timed
   * @param rounds timed runs
   */
  record Plan(
      List<ShuffleCase> cases, long rows, List<Integer> partitions, int warmUps, int rounds) {}

  private final ClusterOptions cluster;
  private final GpuOptions gpus;
  private final SparkRuntime runtime;
  private final Console console;

  ShuffleBench(ClusterOptions cluster, GpuOptions gpus, SparkRuntime runtime, Console console) {
    this.cluster = cluster;
    this.gpus = gpus;
    this.runtime = runtime;
    this.console = console;
  }

  ShuffleReport run(Plan plan, Path folder) throws IOException {
    Path logs = folder.resolve("applications");
    Path rows = folder.resolve("rows");
    Folders.delete(rows);
    Files.createDirectories(rows);
    List<ManagerChoice> choices =
        gpus.jar().isPresent() ? cluster.rapidsManagers() : cluster.managers();
    List<String> managers = choices.stream().map(ManagerChoice::label).toList();
    console.line("Starting " + choices.size() + " applications, logs in " + logs);
    try (Fleet fleet = start(choices, logs)) {
      Contest contest = new Contest(fleet.applications(), rows, cluster.limit(), console);
      RunInfo info = RunInfo.now(where(), fleet.applications().getFirst().ready());
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
        }
      }
      return new ShuffleReport(info, plan.rounds(), managers, results);
    }
  }

  private Fleet start(List<ManagerChoice> choices, Path logs) {
    if (gpus.jar().isEmpty()) {
      return Fleet.start(
          choices.stream().map(choice -> cluster.application(choice, SETTINGS, logs)).toList(),
          runtime,
          cluster.limit());
    }
    return Fleet.startOnGpus(
        (number, master) -> cluster.application(choices.get(number), gpus, master, SETTINGS, logs),
        choices.size(),
        gpus,
        runtime,
        logs,
        cluster.limit());
  }

  private String where() {
    return gpus.jar().isEmpty()
        ? cluster.master().url()
        : "standalone, %d GPUs, %d cores each".formatted(gpus.count(), gpus.worker().cores());
  }

  private static Outcome run(
      Contest contest, Plan plan, ShuffleCase job, int partitions, boolean exchange) {
    return contest.run(
        job.label() + " " + (exchange ? partitions : "base"),
        plan.warmUps(),
        plan.rounds(),
        file ->
            new Request.Case(
                job.label(), job.rows(plan.rows()), partitions, exchange, file.toString()));
  }
}
