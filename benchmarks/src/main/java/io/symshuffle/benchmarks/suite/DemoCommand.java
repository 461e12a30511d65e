// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.HostOptions;
import io.symshuffle.benchmarks.launch.Lineup;
import io.symshuffle.benchmarks.launch.StartOptions;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.cli.CliCommand;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code symshuffle demo}. */
@Command(
    name = "demo",
    description = {
      "Runs the 22 TPC-H queries with Spark's sort shuffle and with SymShuffle, in two applications"
          + " that take turns with each query. Compares their rows and reports the times as a"
          + " table, an HTML page and JSON.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 all queries ran and gave the same rows, 1 a query failed or its rows differ,"
          + " 2 could not run, 130 interrupted.",
      "",
      "Examples:",
      "  symshuffle demo                              minutes, 0.3 GB of data on disk",
      "  symshuffle demo --scale 0.01 --queries q1,q3 a first look in about a minute",
      "  symshuffle demo --master 'local-cluster[4,2,4096]' --scale 10",
      "  symshuffle demo --spark 4.1                  on Spark 4.1 and a JDK 21",
      "  symshuffle demo --rapids rapids-4-spark_2.13-26.08.1-cuda13.jar --scale 10",
      "  symshuffle demo --hosts 2 --rate none,1gbit   two hosts, links at two rates",
      "  symshuffle demo --rapids JAR --hosts 2 --rate none,25gbit --iproute DIR",
      "  symshuffle demo --master spark://host:7077 --data /shared/tpch --scale 100"
    })
public final class DemoCommand implements CliCommand {
  @Spec private CommandSpec spec;

  @Mixin private final ClusterOptions cluster = new ClusterOptions("sort", "symshuffle");

  @Mixin private final GpuOptions gpus = new GpuOptions();

  @Mixin private final HostOptions hosts = new HostOptions();

  @Mixin private final StartOptions starts = new StartOptions();

  @Mixin private final RunOptions often = new RunOptions("demo", 3, 1);

  @Mixin private final SuiteOptions options = new SuiteOptions(Suite.TPCH, "demo");

  /** For {@link java.util.ServiceLoader}. */
  public DemoCommand() {}

  @Override
  public Integer call() {
    return new SuiteRun(
            options,
            new Lineup(cluster, gpus, hosts, starts, Map.of()),
            often,
            Console.of(spec.commandLine()))
        .run();
  }
}
