// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.comparison.Job;
import io.symshuffle.benchmarks.comparison.Plan;
import io.symshuffle.benchmarks.launch.HostOptions;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.workload.QueryTexts;
import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.plugin.rapids.RapidsChoice;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options for what part of a suite runs, and on which data. */
public final class SuiteOptions {
  /** What the largest query of TPC-H shuffles at scale 1, in tables that are not compressed. */
  private static final double GIB_OF_QUERY = 0.65;

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      description =
          "Scale factor of the data, where 1 is about 1 GB as text; default ${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--queries",
      split = ",",
      paramLabel = "NAMES",
      description = "Queries to run, such as q1,q3; default all.")
  private List<String> queries;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Folder of the tables, which are generated there if missing; every executor must see it."
              + " Default: benchmarks/target/<suite>/sf<scale>.")
  private Path data;

  private final Suite suite;
  private final String command;

  /**
   * @param command the command as users type it, such as {@code demo}
   */
  SuiteOptions(Suite suite, String command, double scale) {
    this.suite = suite;
    this.command = command;
    this.scale = scale;
  }

  /** Chooses some queries at a scale. */
  void excerpt(List<String> some, double at) {
    queries = some;
    scale = at;
  }

  /**
   * Returns what to run.
   *
   * @param hosts on which links
   * @param opening the case that runs first, if any
   * @throws CliException if a value is invalid
   */
  Plan plan(RunOptions often, HostOptions hosts, Optional<Job> opening) {
    often.check();
    checkScale(scale);
    List<String> known = suite.queries().names();
    List<String> chosen = queries == null ? known : queries.stream().distinct().toList();
    List<String> unknown = chosen.stream().filter(query -> !known.contains(query)).toList();
    if (chosen.isEmpty() || !unknown.isEmpty()) {
      throw CliException.wrongUsage(
          "Unknown query '"
              + String.join("', '", unknown)
              + "'; choose from "
              + String.join(", ", known)
              + ".");
    }
    QueryTexts texts = suite.queries();
    return new Plan(
        command,
        suite.title() + " at scale " + Figures.scale(scale),
        "query",
        scale,
        hosts.count(),
        hosts.rates(),
        often.warmUps(),
        often.runs(),
        often.starts(),
        often.note(),
        opening,
        chosen.stream()
            .map(query -> Job.query(query, texts.text(query), texts.unlimited(query)))
            .toList());
  }

  private static void checkScale(double scale) {
    if (!(scale > 0 && scale <= 100_000)) {
      throw CliException.wrongUsage(
          "--scale is %s; it must be above 0 and at most 100000, such as 0.01 or 1."
              .formatted(scale));
    }
  }

  /** Returns the settings that queries on much data need: partitions that fit a GPU. */
  Map<String, String> settings() {
    int partitions = (int) (scale * GIB_OF_QUERY);
    return partitions > RapidsChoice.DEFAULT_PARTITIONS
        ? Map.of(ExpertSettings.PARTITIONS, Integer.toString(partitions))
        : Map.of();
  }

  Suite suite() {
    return suite;
  }

  /** Returns the tables, which are not generated yet. */
  SuiteData tables(Console console) {
    return new SuiteData(data(), suite, scale, console);
  }

  /** Returns the folder of the tables. */
  Path data() {
    return data != null ? data : target().resolve(suite.name() + "/sf" + Figures.scale(scale));
  }

  private static Path target() {
    return SparkRuntime.home().resolve("benchmarks/target");
  }
}
