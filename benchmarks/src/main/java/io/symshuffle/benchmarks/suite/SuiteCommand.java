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
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that runs the queries of a suite. */
abstract class SuiteCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private final ClusterOptions cluster = new ClusterOptions("sort", "symshuffle");

  @Mixin private final GpuOptions gpus = new GpuOptions();

  @Mixin private final HostOptions hosts = new HostOptions();

  @Mixin private final StartOptions starts = new StartOptions();

  @Mixin private final RunOptions often;

  @Mixin private final SuiteOptions options;

  /**
   * Creates the command of a suite.
   *
   * @param name its words on the command line, such as {@code bench tpcds}
   */
  SuiteCommand(Suite suite, String name) {
    often = new RunOptions(name.replace(' ', '-'), 3, 1);
    options = new SuiteOptions(suite, name);
  }

  @Override
  public final Integer call() {
    return new SuiteRun(
            options,
            new Lineup(cluster, gpus, hosts, starts, Map.of()),
            often,
            Console.of(spec.commandLine()))
        .run();
  }
}
