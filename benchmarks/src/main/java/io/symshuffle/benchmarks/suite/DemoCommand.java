// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.comparison.Job;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.workload.ShuffleCase;
import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.cli.CliCommand;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code symshuffle demo}. */
@Command(
    name = "demo",
    description = {
      "Shows what a shuffle changes: runs a job that does little but shuffle, two TPC-H queries"
          + " that shuffle most, and two that shuffle little, with Spark's sort shuffle and with"
          + " SymShuffle, whose applications start twice in turn. Compares their rows and reports"
          + " the times, with their scatter, as a table, an HTML page and JSON. It takes 6 minutes"
          + " on 2 idle cores, half a minute of which is for its data, at scale 1, the first time."
          + " To measure, choose --scale, --queries, --starts or --runs: the defaults below are for"
          + " these.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 all queries ran and gave the same rows, 1 a query failed or its rows differ,"
          + " 2 could not run, 130 interrupted.",
      "",
      "Examples:",
      "  symshuffle demo                              6 minutes, 0.3 GB of data on disk",
      "  symshuffle demo --all                        all 22 queries, in 6 minutes",
      "  symshuffle demo --scale 0.01 --queries q1,q3 a first look in about a minute",
      "  symshuffle demo --scale 1                    22 queries, 2 runs in each start",
      "  symshuffle demo --master 'local-cluster[4,2,4096]' --scale 10",
      "  symshuffle demo --spark 4.1                  on Spark 4.1 and a JDK 21",
      "  symshuffle demo --rapids rapids-4-spark_2.13-26.08.1-cuda13.jar --scale 10",
      "  symshuffle demo --hosts 2 --rate none,1gbit   two hosts, links at two rates",
      "  symshuffle demo --rapids JAR --hosts 2 --rate none,25gbit --iproute DIR",
      "  symshuffle demo --master spark://host:7077 --data /shared/tpch --scale 100"
    })
public final class DemoCommand extends SuiteCommand implements CliCommand {
  /** Small enough for runs of all queries within minutes. */
  private static final double SCALE = 0.2;

  /** Two queries that shuffle 100 MB and more at this scale, and two that shuffle 2 KB at most. */
  private static final List<String> EXCERPT = List.of("q21", "q5", "q6", "q14");

  private static final double EXCERPT_SCALE = 1;

  /** A job that does little else than shuffle. */
  private static final Job OPENING = Job.ofCase(ShuffleCase.REPARTITION, 500_000, 0, 32);

  /** The same with 72 MB. */
  private static final Job LARGE_OPENING = Job.ofCase(ShuffleCase.REPARTITION, 4_000_000, 0, 32);

  @Option(names = "--all", description = "Run all 22 queries, at scale 0.2.")
  private boolean all;

  private Job opening = OPENING;

  public DemoCommand() {
    super(Suite.TPCH, "demo", SCALE);
  }

  @Override
  void shorten(SuiteOptions options, RunOptions often) {
    // Intervals come from the scatter between starts, so more runs in each tell little more.
    often.choose(2, 1);
    if (!all) {
      options.excerpt(EXCERPT, EXCERPT_SCALE);
      opening = LARGE_OPENING;
    }
  }

  @Override
  Optional<Job> opening() {
    return Optional.of(opening);
  }
}
