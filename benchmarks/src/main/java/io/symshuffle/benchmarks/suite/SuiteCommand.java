// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.comparison.ComparisonRun;
import io.symshuffle.benchmarks.comparison.Job;
import io.symshuffle.benchmarks.comparison.Plan;
import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.ComparisonSetup;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.HostOptions;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.workload.Suite;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** A command that runs the queries of a suite. */
abstract class SuiteCommand implements Callable<Integer> {
  private static final Duration TIME_TO_GENERATE = Duration.ofHours(12);

  /** Drivers that live for minutes start sooner without the compiler for hot code. */
  private static final Map<String, String> SHORT_LIFE =
      Map.of("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");

  @Spec private CommandSpec spec;

  @Mixin private final ClusterOptions cluster = new ClusterOptions("sort", "symshuffle");

  @Mixin private final GpuOptions gpus = new GpuOptions();

  @Mixin private final HostOptions hosts = new HostOptions();

  @Mixin private final RunOptions often;

  @Mixin private final SuiteOptions options;

  /**
   * @param name its words on the command line, such as {@code bench tpcds}
   */
  SuiteCommand(Suite suite, String name, double scale) {
    often = new RunOptions(name.replace(' ', '-'), 2, 2, 1);
    options = new SuiteOptions(suite, name, scale);
  }

  /**
   * Chooses what runs, and how often, if the user chooses neither queries nor how to measure them.
   */
  void shorten(SuiteOptions options, RunOptions often) {}

  /** The case that runs first, if any. */
  Optional<Job> opening() {
    return Optional.empty();
  }

  @Override
  public final Integer call() {
    // Otherwise the numbers are for readers who know what they measure.
    boolean here = !gpus.areUsed() && !hosts.areUsed();
    ParseResult given = spec.commandLine().getParseResult();
    boolean measures =
        Stream.of("--starts", "--runs", "--scale", "--queries").anyMatch(given::hasMatchedOption);
    boolean brief = opening().isPresent() && here && !measures;
    if (brief) {
      shorten(options, often);
    }
    return run(
        new ComparisonSetup(cluster, gpus, hosts, brief ? SHORT_LIFE : options.settings()),
        opening().filter(job -> here));
  }

  private int run(ComparisonSetup setup, Optional<Job> opening) {
    Plan plan = options.plan(often, hosts, opening);
    setup.check(often::out);
    hosts.checkVisible(options::data);
    Console console = Console.of(spec.commandLine());
    SparkRuntime runtime = SparkRuntime.ofTree();
    List<String> wanted = options.suite().tablesOf(plan.jobs().stream().map(Job::name).toList());
    SuiteData data = options.tables(console);
    data.check(wanted);
    Duration limit = cluster.limit();
    data.ensure(
        wanted,
        cluster.generator("data", ComparisonRun.logs(often.out())),
        runtime,
        limit,
        TIME_TO_GENERATE);
    String folder = options.data().toAbsolutePath().toString();
    Request tables = new Request.Tables(options.suite().name(), wanted, folder);
    return new ComparisonRun(setup, runtime, often, console)
        .run(plan, application -> application.require(tables, "reading the tables", limit));
  }
}
