// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.comparison.Job;
import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.ComparisonSetup;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.HostOptions;
import io.symshuffle.benchmarks.launch.StartOptions;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.workload.Suite;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** A command that runs the queries of a suite. */
abstract class SuiteCommand implements Callable<Integer> {
  /** Drivers that live for minutes start sooner without the compiler for hot code. */
  private static final Map<String, String> SHORT_LIFE =
      Map.of("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");

  @Spec private CommandSpec spec;

  @Mixin private final ClusterOptions cluster = new ClusterOptions("sort", "symshuffle");

  @Mixin private final GpuOptions gpus = new GpuOptions();

  @Mixin private final HostOptions hosts = new HostOptions();

  @Mixin private final StartOptions starts = new StartOptions();

  @Mixin private final RunOptions often;

  @Mixin private final SuiteOptions options;

  /**
   * @param name its words on the command line, such as {@code bench tpcds}
   */
  SuiteCommand(Suite suite, String name, double scale) {
    often = new RunOptions(name.replace(' ', '-'), 3, 1);
    options = new SuiteOptions(suite, name, scale);
  }

  /**
   * The time of the command, into which the runs of all queries have to fit if neither {@code
   * --runs} nor {@code --scale} is given; empty for a fixed number of runs.
   */
  Optional<Duration> time() {
    return Optional.empty();
  }

  /** Chooses what runs if the user chooses neither queries nor how to measure them. */
  void shorten(SuiteOptions options) {}

  /** The case that runs first, if any. */
  Optional<Job> opening() {
    return Optional.empty();
  }

  @Override
  public final Integer call() {
    // Otherwise the numbers are for readers who know what they measure.
    boolean sideBySide = !gpus.areUsed() && !hosts.areUsed() && !starts.oneAtATime();
    ParseResult given = spec.commandLine().getParseResult();
    boolean measures = given.hasMatchedOption("--runs") || given.hasMatchedOption("--scale");
    Optional<Duration> time = time().filter(limit -> sideBySide && !measures);
    if (time.isPresent() && !given.hasMatchedOption("--queries")) {
      shorten(options);
    }
    return new SuiteRun(
            options,
            new ComparisonSetup(
                cluster, gpus, hosts, starts, time.isPresent() ? SHORT_LIFE : options.settings()),
            often,
            Console.of(spec.commandLine()),
            time,
            opening().filter(job -> sideBySide))
        .run();
  }
}
