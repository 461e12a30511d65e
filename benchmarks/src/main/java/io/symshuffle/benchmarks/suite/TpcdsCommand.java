// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.HostOptions;
import io.symshuffle.benchmarks.launch.Lineup;
import io.symshuffle.benchmarks.launch.StartOptions;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.workload.Suite;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench tpcds}. */
@Command(
    name = "tpcds",
    description = {
      "Runs the 103 TPC-DS queries of Spark's tests (q1 to q99; q14, q23, q24 and q39 have two"
          + " variants, a and b) with Spark's sort shuffle and with SymShuffle, in two applications"
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
      "  symshuffle bench tpcds                       all queries, at scale 1",
      "  symshuffle bench tpcds --scale 0.01 --queries q3,q7 --runs 1",
      "  symshuffle bench tpcds --scale 10 --runs 5 --json tpcds.json"
    })
public final class TpcdsCommand implements Benchmark {
  @Spec private CommandSpec spec;

  @Mixin private final ClusterOptions cluster = new ClusterOptions("sort", "symshuffle");

  @Mixin private final GpuOptions gpus = new GpuOptions();

  @Mixin private final HostOptions hosts = new HostOptions();

  @Mixin private final StartOptions starts = new StartOptions();

  @Mixin private final RunOptions often = new RunOptions("bench-tpcds", 3, 1);

  @Mixin private final SuiteOptions options = new SuiteOptions(Suite.TPCDS, "bench tpcds");

  /** For {@link java.util.ServiceLoader}. */
  public TpcdsCommand() {}

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
