// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.demo;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.benchmarks.launch.ManagerChoice;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.Contest;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.benchmarks.tpch.TpchQueries;
import io.symshuffle.plugin.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The demonstration from data to reports. */
final class Demo {
  private static final int WARM_UPS = 1;
  private static final Duration TIME_TO_GENERATE = Duration.ofHours(12);

  private final ClusterOptions cluster;
  private final SparkRuntime runtime;
  private final Console console;

  Demo(ClusterOptions cluster, SparkRuntime runtime, Console console) {
    this.cluster = cluster;
    this.runtime = runtime;
    this.console = console;
  }

  /** Runs it and returns the exit status. */
  int run(double scale, List<String> queries, int runs, Path tables, Path out) {
    Path logs = out.resolve("applications");
    Path rows = out.resolve("rows");
    List<ApplicationSpec> specs =
        cluster.managers().stream()
            .map(choice -> cluster.application(choice, Map.of(), logs))
            .toList();
    Duration limit = cluster.limit();
    try {
      Folders.delete(rows);
      Files.createDirectories(rows);
      Path data =
          new TpchData(tables, scale, console)
              .ensure(cluster.helper("tpch-data", logs), runtime, TIME_TO_GENERATE);
      console.line("Starting " + specs.size() + " applications, logs in " + logs);
      try (Fleet fleet = Fleet.start(specs, runtime)) {
        fleet.applications().forEach(this::introduce);
        fleet.askAll(new Request.Tables(data.toString()), "reading the tables", limit);
        Contest contest = new Contest(fleet.applications(), rows, limit, console);
        RunInfo info = RunInfo.now(cluster.master().url(), fleet.applications().getFirst().ready());
        return report(
            new DemoReport(info, scale, runs, labels(), outcomes(contest, queries, runs)), out);
      }
    } catch (IOException e) {
      throw new CliException(
          "The folder " + out + " cannot be written: " + e.getMessage() + ".", e);
    }
  }

  private List<String> labels() {
    return cluster.managers().stream().map(ManagerChoice::label).toList();
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

  private List<Outcome> outcomes(Contest contest, List<String> queries, int runs) {
    DemoTable table = new DemoTable(labels());
    console.line("\n" + table.header());
    List<Outcome> outcomes = new ArrayList<>();
    for (String query : queries) {
      String sql = TpchQueries.text(query);
      Outcome outcome =
          contest.run(query, WARM_UPS, runs, file -> new Request.Query(sql, file.toString()));
      outcomes.add(outcome);
      console.line(table.add(outcome));
    }
    return outcomes;
  }

  private int report(DemoReport report, Path out) throws IOException {
    Path page = out.resolve("demo.html");
    Path json = out.resolve("demo.json");
    Files.writeString(page, DemoPage.html(report));
    JsonFile.write(report, json);
    console.line("\nReport: " + page + "\nJSON:   " + json + "\n" + report.summary());
    return report.good() ? 0 : 1;
  }
}
