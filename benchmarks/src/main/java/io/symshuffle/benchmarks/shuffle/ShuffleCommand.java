// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.comparison.ComparisonRun;
import io.symshuffle.benchmarks.comparison.Job;
import io.symshuffle.benchmarks.comparison.Plan;
import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.ComparisonSetup;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.HostOptions;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.workload.ShuffleCase;
import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.Count;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench shuffle}. */
@Command(
    name = "shuffle",
    description = {
      "Times shuffle-bound jobs, and each of them without its exchange, on several shuffle managers"
          + " in turn, and compares their results.",
      ""
    },
    footer = {
      "",
      "Cases: repartition, range, hot (13 %% of the rows in one partition), narrow (two longs per"
          + " row), keys, keyrange and keyjoin (one long, as in Spark's PipelinedShuffleBenchmark),"
          + " wide (50 columns), wide64, wide250 and wide512, nested (structs, arrays, decimals,"
          + " nulls), groupby, tiny (1,000 rows from 200 tasks), join, sort.",
      "",
      "Exit status: 0 all jobs ran and gave the same results, 1 a job failed or its results differ,"
          + " 2 could not run, 130 interrupted.",
      "",
      "Examples:",
      "  symshuffle bench shuffle",
      "  symshuffle bench shuffle --cases repartition --partitions 8,200,2000 --runs 7",
      "  symshuffle bench shuffle --rapids JAR --rows 400m",
      "  symshuffle bench shuffle --hosts 2 --rate 300mbit,1gbit,none",
      "  symshuffle bench shuffle --cases repartition --rows 8m --kill",
      "  symshuffle bench shuffle --master 'local[2]' --managers sort,symshuffle"
    })
public final class ShuffleCommand implements Benchmark {
  /** Keep the number of partitions, and shuffle in joins. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.adaptive.coalescePartitions.enabled", "false",
          "spark.sql.autoBroadcastJoinThreshold", "-1");

  @Spec private CommandSpec spec;

  @Mixin
  private final ClusterOptions cluster =
      new ClusterOptions("sort", "sort-nocompress", "symshuffle");

  @Mixin private final GpuOptions gpus = new GpuOptions();

  @Mixin private final HostOptions hosts = new HostOptions();

  @Mixin private final RunOptions often = new RunOptions("bench", 2, 3, 2);

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "2m",
      description =
          "Rows of the case repartition, such as 400m for 400 million; others scale this to take"
              + " similar time. Default ${DEFAULT-VALUE}.")
  private Count rows;

  @Option(
      names = "--cases",
      split = ",",
      paramLabel = "NAMES",
      description = "Jobs to run; default all.")
  private List<String> cases = ShuffleCase.labels();

  @Option(
      names = "--partitions",
      split = ",",
      paramLabel = "N",
      defaultValue = "200",
      description = "Number of partitions, or several in turn; default ${DEFAULT-VALUE}.")
  private List<Integer> partitions;

  @Option(
      names = "--maps",
      paramLabel = "N",
      defaultValue = "0",
      description = "Map tasks of each exchange; default: 4 times the cores, at least 8.")
  private int maps;

  @Option(
      names = "--kill",
      description =
          "Also run each job while one executor is killed (SIGKILL) when the first stage starts"
              + " that reads the exchange. Spark starts another executor, and runs again what was"
              + " lost: the table then has the number of tasks. Before the next such run, the job"
              + " runs once to warm up the new executor.")
  private boolean kill;

  @Override
  public Integer call() {
    check();
    ComparisonSetup setup = new ComparisonSetup(cluster, gpus, hosts, SETTINGS);
    setup.check(often::out);
    if (kill && !setup.startsExecutors()) {
      throw CliException.wrongUsage(
          "--kill needs executors that the command can kill: use --master 'local-cluster[...]',"
              + " --hosts or GPUs.");
    }
    Plan plan =
        new Plan(
            "bench shuffle",
            "shuffle-bound jobs",
            "case",
            0,
            hosts.count(),
            hosts.rates(),
            often.warmUps(),
            often.runs(),
            often.starts(),
            often.note(),
            Optional.empty(),
            jobs());
    return new ComparisonRun(setup, SparkRuntime.ofTree(), often, Console.of(spec.commandLine()))
        .run(plan, application -> {});
  }

  private List<Job> jobs() {
    List<Job> jobs =
        cases.stream()
            .distinct()
            .map(ShuffleCommand::named)
            .flatMap(
                job ->
                    partitions.stream()
                        .distinct()
                        .map(number -> Job.ofCase(job, job.rows(rows.value()), maps, number)))
            .toList();
    // Executors that have just started are slow, so these come last.
    return kill ? Stream.concat(jobs.stream(), jobs.stream().map(Job::killing)).toList() : jobs;
  }

  private void check() {
    often.check();
    CliException.checkAtLeast1("--rows", rows.value());
    if (maps < 0) {
      throw CliException.wrongUsage("--maps must be a number of at least 1, such as 500.");
    }
    if (partitions.isEmpty() || partitions.stream().anyMatch(number -> number < 1)) {
      throw CliException.wrongUsage(
          "--partitions must be numbers of at least 1, such as 8,200,2000.");
    }
    cases.forEach(ShuffleCommand::named);
  }

  private static ShuffleCase named(String label) {
    try {
      return ShuffleCase.named(label);
    } catch (IllegalArgumentException e) {
      throw CliException.wrongUsage(e.getMessage() + ".");
    }
  }
}
