// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.JsonOutput;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code symshuffle bench jmh}. */
@Command(
    name = "jmh",
    description = "Runs the JMH microbenchmarks.",
    footer = {
      "",
      "Exit status: 0 success, 2 could not run.",
      "",
      "Examples:",
      "  symshuffle bench jmh --list",
      "  symshuffle bench jmh RunPlacing",
      "  symshuffle bench jmh --iterations 3 --json jmh.json"
    })
public final class JmhCommand implements Benchmark {
  @Parameters(
      arity = "0..1",
      paramLabel = "REGEX",
      defaultValue = "io\\.symshuffle\\.",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "Benchmarks to run, by a regular expression for their names; default all.")
  private String pattern;

  @Option(names = "--list", description = "List the benchmarks without running them.")
  private boolean list;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "Timed iterations of one second, or of one run for HeapGrowth, after half as many"
              + " warm-ups; default ${DEFAULT-VALUE}.")
  private int iterations;

  @Option(names = "--json", paramLabel = "FILE", description = "File for the results as JSON.")
  private Path json;

  @Override
  public Integer call() {
    CliException.checkAtLeast1("--iterations", iterations);
    try {
      Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      throw CliException.wrongUsage(
          "'%s' is not a regular expression: %s.".formatted(pattern, e.getDescription()));
    }
    JsonOutput.check(json);
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(pattern)
            .forks(1)
            .warmupIterations((iterations + 1) / 2)
            .measurementIterations(iterations)
            .warmupTime(TimeValue.seconds(1))
            .measurementTime(TimeValue.seconds(1))
            .jvmArgs(ChildProcess.memoryAccess().toArray(String[]::new));
    if (json != null) {
      options.resultFormat(ResultFormatType.JSON).result(json.toString());
    }
    try {
      Runner runner = new Runner(options.build());
      if (list) {
        runner.list();
      } else {
        runner.run();
      }
      return 0;
    } catch (NoBenchmarksException e) {
      throw CliException.wrongUsage(
          "No benchmark matches '" + pattern + "': --list prints their names.");
    } catch (RunnerException e) {
      throw new CliException("JMH failed: " + e.getMessage(), e);
    }
  }
}
