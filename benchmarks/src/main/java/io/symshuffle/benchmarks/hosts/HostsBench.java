// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.hosts;

import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.benchmarks.launch.HostCluster;
import io.symshuffle.benchmarks.launch.ManagerChoice;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.Contest;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.benchmarks.suite.SuiteData;
import io.symshuffle.benchmarks.workload.QueryTexts;
import io.symshuffle.benchmarks.workload.ShuffleCase;
import io.symshuffle.benchmarks.workload.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Runs jobs on hosts, with all managers in turn, on links of each rate. */
final class HostsBench {
  private static final Duration TIME_TO_GENERATE = Duration.ofHours(12);

  /**
   * What to run.
   *
   * @param hosts number of hosts
   * @param rates rates of the links, each in turn
   * @param delay delay of the links; empty for none
   * @param cases the jobs on generated rows
   * @param rows rows of a plain repartition, see {@link ShuffleCase#rows}
   * @param partitions number of partitions
   * @param queries queries of TPC-H; may be empty
   * @param scale their scale factor
   * @param data folder of their tables
   * @param warmUps untimed runs
   * @param runs timed runs
   * @param note for readers of the report; may be empty
   */
  record Plan(
      int hosts,
      List<String> rates,
      String delay,
      List<ShuffleCase> cases,
      long rows,
      int partitions,
      List<String> queries,
      double scale,
      Path data,
      int warmUps,
      int runs,
      String note) {}

  /** Receives the results so far, in case the run is interrupted. */
  @FunctionalInterface
  interface Progress {
    /** Called after each job. */
    void reached(HostsReport soFar) throws IOException;
  }

  private final Plan plan;
  private final ClusterOptions options;
  private final SparkRuntime runtime;
  private final Console console;
  private final List<String> managers;
  private final HostsTable table;
  private final List<HostsResult> results = new ArrayList<>();

  HostsBench(Plan plan, ClusterOptions options, SparkRuntime runtime, Console console) {
    this.plan = plan;
    this.options = options;
    this.runtime = runtime;
    this.console = console;
    this.managers = options.managers().stream().map(ManagerChoice::label).toList();
    this.table = new HostsTable(managers);
  }

  HostsReport run(Path folder, Progress progress) throws IOException {
    Path logs = folder.resolve("applications");
    Path rows = folder.resolve("rows");
    Folders.delete(rows);
    Files.createDirectories(rows);
    List<String> tables = Suite.TPCH.tablesOf(plan.queries());
    if (!tables.isEmpty()) {
      new SuiteData(plan.data(), Suite.TPCH, plan.scale(), console)
          .ensure(
              tables, options.generator("data", logs), runtime, options.limit(), TIME_TO_GENERATE);
    }
    console.line("Creating " + plan.hosts() + " hosts");
    try (HostCluster cluster =
        HostCluster.start(
            runtime, folder.resolve("cluster"), plan.hosts(), managers.size(), console)) {
      console.line("Starting " + managers.size() + " applications, logs in " + logs);
      Map<String, String> settings =
          Map.of("spark.sql.shuffle.partitions", Integer.toString(plan.partitions()));
      try (Fleet fleet =
          Fleet.start(
              options.managers().stream()
                  .map(choice -> options.application(choice, cluster, settings, logs))
                  .toList(),
              runtime,
              options.limit(),
              console)) {
        if (!tables.isEmpty()) {
          fleet.askAll(
              new Request.Tables(Suite.TPCH.name(), tables, plan.data().toString()),
              "reading the tables",
              options.limit());
        }
        RunCosts costs = new RunCosts(cluster);
        Contest contest = new Contest(fleet.applications(), rows, options.limit(), console, costs);
        String where = "standalone, %d hosts with 1 core each".formatted(plan.hosts());
        RunInfo info = RunInfo.now(where, fleet.ready());
        console.line("\n" + table.header());
        for (String rate : plan.rates()) {
          cluster.hosts().shape(link(rate));
          run(rate, contest, costs, () -> progress.reached(report(info)));
        }
        return report(info);
      }
    }
  }

  private String[] link(String rate) {
    return plan.delay().isEmpty()
        ? new String[] {rate}
        : new String[] {rate, "delay", plan.delay()};
  }

  private HostsReport report(RunInfo info) {
    return new HostsReport(
        info,
        plan.hosts(),
        plan.delay(),
        plan.scale(),
        plan.runs(),
        plan.note(),
        managers,
        List.copyOf(results));
  }

  /** Called after each job. */
  @FunctionalInterface
  private interface Step {
    void done() throws IOException;
  }

  private void run(String rate, Contest contest, RunCosts costs, Step step) throws IOException {
    for (ShuffleCase job : plan.cases()) {
      long rows = job.rows(plan.rows());
      Outcome outcome =
          contest.run(
              rate + " " + job.label(),
              plan.warmUps(),
              plan.runs(),
              file ->
                  new Request.Case(job.label(), rows, plan.partitions(), true, file.toString()));
      add(new HostsResult(rate, job.label(), rows, outcome, costs.take(managers)), step);
    }
    int first = results.size();
    QueryTexts texts = Suite.TPCH.queries();
    for (String query : plan.queries()) {
      Outcome outcome =
          contest.run(
              rate + " " + query,
              plan.warmUps(),
              plan.runs(),
              request(query, texts.text(query)),
              texts.unlimited(query).map(sql -> request(query + " without its limit", sql)));
      add(new HostsResult(rate, query, 0, outcome, costs.take(managers)), step);
    }
    if (plan.queries().size() > 1) {
      console.line(
          table.total(rate, Suite.TPCH.name() + " total", results.subList(first, results.size())));
    }
  }

  private void add(HostsResult result, Step step) throws IOException {
    results.add(result);
    console.line(table.add(result));
    step.done();
  }

  private static Function<Path, Request> request(String name, String sql) {
    return file -> new Request.Query(name, sql, file.toString());
  }
}
