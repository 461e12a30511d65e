// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.demo;

import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.tpch.TpchQueries;
import io.symshuffle.plugin.cli.CliCommand;
import io.symshuffle.plugin.cli.CliException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle demo}. */
@Command(
    name = "demo",
    description = {
      "Runs the 22 TPC-H queries with Spark's own shuffle and with SymShuffle, in two applications"
          + " query by query in turn, compares their rows, and reports the times as a table, as one"
          + " HTML page and as JSON.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 all queries ran and gave the same rows, 1 they did not, 2 wrong usage, 130"
          + " interrupted.",
      "",
      "Examples:",
      "  symshuffle demo                              scale 1: about 0.3 GB of data on disk,"
          + " minutes",
      "  symshuffle demo --scale 0.01 --queries q1,q3 a first look, in less than a minute",
      "  symshuffle demo --master 'local-cluster[4,2,4096]' --scale 10",
      "  symshuffle demo --master spark://host:7077 --data /shared/tpch --scale 100"
    })
public final class DemoCommand implements CliCommand {
  @Spec private CommandSpec spec;

  @Mixin private final ClusterOptions cluster = new ClusterOptions("sort", "symshuffle");

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description = "TPC-H scale factor; default ${DEFAULT-VALUE}: 8.7 million rows.")
  private double scale;

  @Option(
      names = "--queries",
      split = ",",
      paramLabel = "NAMES",
      description = "Which queries, such as q1,q3; default all 22.")
  private List<String> queries = TpchQueries.names();

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "3",
      description = "Timed runs of each query after one warm-up; default ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Where the tables are, or go if they are not there; every executor must see it. Default:"
              + " benchmarks/target/tpch/sf<scale>.")
  private Path data;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where reports, rows and logs go. Default: benchmarks/target/demo.")
  private Path out;

  /** For {@link java.util.ServiceLoader}. */
  public DemoCommand() {}

  @Override
  public Integer call() {
    if (!(scale > 0 && scale <= 100_000)) {
      throw CliException.wrongUsage(
          "--scale is a number above 0, up to 100000, such as 0.01 or 1.");
    }
    if (runs < 1 || runs > 1000) {
      throw CliException.wrongUsage("--runs is a number from 1 to 1000.");
    }
    List<String> unknown =
        queries.stream().filter(query -> !TpchQueries.names().contains(query)).toList();
    if (queries.isEmpty() || !unknown.isEmpty()) {
      throw CliException.wrongUsage(
          "There is no query " + String.join(", ", unknown) + ": choose among q1 to q22.");
    }
    cluster.check();
    SparkRuntime runtime = SparkRuntime.ofTree();
    Path target = SparkRuntime.home().resolve("benchmarks/target");
    Console console = Console.of(spec.commandLine().getOut());
    Path tables = data != null ? data : target.resolve("tpch/sf" + text(scale));
    Path folder = (out != null ? out : target.resolve("demo")).toAbsolutePath();
    return new Demo(cluster, runtime, console)
        .run(scale, queries.stream().distinct().toList(), runs, tables, folder);
  }

  private static String text(double scale) {
    return scale == Math.rint(scale) ? Long.toString((long) scale) : Double.toString(scale);
  }
}
