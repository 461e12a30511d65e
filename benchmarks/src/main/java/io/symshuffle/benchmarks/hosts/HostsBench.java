// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.hosts;

import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.HostCluster;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.ManagerChoice;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.Contest;
import io.symshuffle.benchmarks.measure.Turns;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Progress;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.benchmarks.suite.SuiteData;
import io.symshuffle.benchmarks.workload.QueryTexts;
import io.symshuffle.benchmarks.workload.ShuffleCase;
import io.symshuffle.benchmarks.workload.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Runs jobs on hosts, with all managers and on links of all rates in turn. */
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

  HostsReport run(Path folder, Progress<HostsReport> progress) throws IOException {
    Path logs = folder.resolve("applications");
    Path rows = Contest.rowsFolder(folder);
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
        List<Link> links =
            plan.rates().stream().map(rate -> link(rate, cluster, fleet, rows)).toList();
        String where = "standalone, %d hosts with 1 core each".formatted(plan.hosts());
        RunInfo info = RunInfo.now(where, fleet.ready());
        console.line("\n" + table.header());
        for (Work work : work()) {
          run(work, links, cluster.hosts());
          progress.reached(report(info));
        }
        if (plan.queries().size() > 1) {
          links.forEach(link -> console.line(total(link.rate())));
        }
        return report(info);
      }
    }
  }

  /** What is measured on links of one rate. */
  private record Link(String rate, Contest contest, RunCosts costs) {}

  private Link link(String rate, HostCluster cluster, Fleet fleet, Path rows) {
    RunCosts costs = new RunCosts(cluster);
    Contest contest = new Contest(fleet.applications(), rows, options.limit(), console, costs);
    return new Link(rate, contest, costs);
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

  /** A job or query, see {@link HostsResult} and {@link Contest#rounds}. */
  private record Work(
      String job,
      long rows,
      Function<Path, Request> request,
      Optional<Function<Path, Request>> unlimited) {}

  private List<Work> work() {
    List<Work> all = new ArrayList<>();
    for (ShuffleCase job : plan.cases()) {
      long rows = job.rows(plan.rows());
      all.add(
          new Work(
              job.label(),
              rows,
              file -> new Request.Case(job.label(), rows, plan.partitions(), true, file.toString()),
              Optional.empty()));
    }
    QueryTexts texts = Suite.TPCH.queries();
    for (String query : plan.queries()) {
      all.add(
          new Work(
              query,
              0,
              request(query, texts.text(query)),
              texts.unlimited(query).map(sql -> request(query + " without its limit", sql))));
    }
    return all;
  }

  private static Function<Path, Request> request(String name, String sql) {
    return file -> new Request.Query(name, sql, file.toString());
  }

  /**
   * Runs a job on links of all rates, which change within each round: a rate that is measured after
   * another one would profit from code that the JVMs have compiled meanwhile.
   */
  private void run(Work work, List<Link> links, Hosts hosts) {
    Map<Link, Contest.Rounds> rounds = new HashMap<>();
    for (Link link : links) {
      rounds.put(
          link,
          link.contest()
              .rounds(
                  link.rate() + " " + work.job(),
                  plan.warmUps(),
                  plan.runs(),
                  work.request(),
                  work.unlimited()));
    }
    for (int round = 0; round < plan.warmUps() + plan.runs(); round++) {
      for (Link link : Turns.order(links, round)) {
        shape(hosts, link.rate());
        rounds.get(link).next();
      }
    }
    for (Link link : links) {
      HostsResult result =
          new HostsResult(
              link.rate(),
              work.job(),
              work.rows(),
              rounds.get(link).outcome(),
              link.costs().take(managers));
      results.add(result);
      console.line(table.add(result));
    }
  }

  private void shape(Hosts hosts, String rate) {
    if (plan.delay().isEmpty()) {
      hosts.shape(rate);
    } else {
      hosts.shape(rate, "delay", plan.delay());
    }
  }

  private String total(String rate) {
    List<HostsResult> queries =
        results.stream()
            .filter(result -> result.rate().equals(rate) && plan.queries().contains(result.job()))
            .toList();
    return table.total(rate, Suite.TPCH.name() + " total", queries);
  }
}
