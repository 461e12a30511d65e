// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.comparison.ComparisonRun;
import io.symshuffle.benchmarks.comparison.Job;
import io.symshuffle.benchmarks.comparison.Plan;
import io.symshuffle.benchmarks.launch.ComparisonSetup;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A suite from data to reports.
 *
 * @param options what to run, and on which data
 * @param often how often, and where the reports go
 * @param time the time of the command, if runs have to fit
 * @param opening the case that runs before the data is generated, if any
 */
record SuiteRun(
    SuiteOptions options,
    ComparisonSetup setup,
    RunOptions often,
    Console console,
    Optional<Duration> time,
    Optional<Job> opening) {
  private static final Duration TIME_TO_GENERATE = Duration.ofHours(12);

  /** Runs the suite; returns the exit status. */
  int run() {
    Plan plan = options.plan(often, setup.hosts(), setup.starts(), time, opening);
    setup.check(often::out);
    setup.hosts().checkVisible(options::data);
    SparkRuntime runtime = SparkRuntime.ofTree();
    List<String> wanted = options.suite().tablesOf(plan.jobs().stream().map(Job::name).toList());
    SuiteData data = options.tables(console);
    data.check(wanted);
    Runnable generate =
        () ->
            data.ensure(
                wanted,
                setup.cluster().generator("data", ComparisonRun.logs(often.out())),
                runtime,
                setup.cluster().limit(),
                TIME_TO_GENERATE);
    if (opening.isEmpty()) {
      // Nobody waits for a first result, and GPUs and hosts stay free meanwhile.
      generate.run();
    }
    return new ComparisonRun(setup, runtime, often, console)
        .run(
            plan,
            fleet -> {
              if (opening.isPresent()) {
                generate.run();
              }
              console.status("reading the tables");
              fleet.askAll(
                  new Request.Tables(
                      options.suite().name(), wanted, options.data().toAbsolutePath().toString()),
                  "reading the tables",
                  setup.cluster().limit());
            });
  }
}
