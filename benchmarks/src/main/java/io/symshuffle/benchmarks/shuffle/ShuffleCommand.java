// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.Lineup;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.benchmarks.shuffle.ShuffleBench.Plan;
import io.symshuffle.benchmarks.workload.ShuffleCase;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.plugin.config.Count;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
      "Cases: repartition, narrow (two longs per row), wide (50 columns), nested (structs, arrays,"
          + " decimals, nulls), groupby, tiny (1,000 rows from 200 tasks), join, sort.",
      "",
      "Exit status: 0 all jobs ran and gave the same results, 1 a job failed or its results differ,"
          + " 2 could not run, 130 interrupted.",
      "",
      "Examples:",
      "  symshuffle bench shuffle",
      "  symshuffle bench shuffle --cases repartition --partitions 8,200,2000 --runs 7",
      "  symshuffle bench shuffle --rapids JAR --rows 400m",
      "  symshuffle bench shuffle --gpus 2 --rows 100m",
      "  symshuffle bench shuffle --master 'local[2]' --managers sort,symshuffle"
    })
public final class ShuffleCommand implements Benchmark {
  @Spec private CommandSpec spec;

  @Mixin
  private final ClusterOptions cluster =
      new ClusterOptions("sort", "sort-nocompress", "symshuffle");

  @Mixin private final GpuOptions gpus = new GpuOptions();

  @Mixin private final RunOptions often = new RunOptions("bench", 5, 2);

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

  private Path json;

  @Option(
      names = "--markdown",
      paramLabel = "FILE",
      description = "File for a Markdown report: the table, the machine and the versions.")
  private Path markdown;

  /** For {@link java.util.ServiceLoader}. */
  public ShuffleCommand() {}

  @Override
  public Integer call() {
    Lineup lineup = new Lineup(cluster, gpus, ShuffleBench.SETTINGS);
    lineup.check();
    check();
    Plan plan =
        new Plan(
            cases.stream().distinct().map(ShuffleCommand::job).toList(),
            rows.value(),
            partitions.stream().distinct().toList(),
            often.warmUps(),
            often.runs(),
            often.note());
    SparkRuntime runtime = SparkRuntime.ofTree();
    json = often.json().orElse(often.out().resolve("shuffle.json"));
    Console console = Console.of(spec.commandLine());
    try {
      ShuffleReport report =
          new ShuffleBench(lineup, runtime, console).run(plan, often.out(), this::write);
      console.line("\nJSON: " + json + "\n" + report.summary());
      return report.good() ? 0 : 1;
    } catch (IOException e) {
      throw new CliException("Cannot write a report or log: " + Failures.reason(e) + ".", e);
    }
  }

  private void write(ShuffleReport report) throws IOException {
    JsonFile.write(report, json);
    if (markdown != null) {
      ReportFile.write(markdown, ShuffleMarkdown.of(report));
    }
  }

  private void check() {
    often.check();
    if (rows.value() < 1) {
      throw CliException.wrongUsage("--rows must be at least 1.");
    }
    if (partitions.isEmpty() || partitions.stream().anyMatch(number -> number < 1)) {
      throw CliException.wrongUsage(
          "--partitions must be numbers of at least 1, such as 8,200,2000.");
    }
    ReportFile.check(markdown);
  }

  private static ShuffleCase job(String label) {
    try {
      return ShuffleCase.named(label);
    } catch (IllegalArgumentException e) {
      throw CliException.wrongUsage(e.getMessage() + ".");
    }
  }
}
