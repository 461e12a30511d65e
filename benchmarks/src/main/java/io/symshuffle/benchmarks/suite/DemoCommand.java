// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.cli.CliCommand;
import picocli.CommandLine.Command;

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
public final class DemoCommand extends SuiteCommand implements CliCommand {
  /** For {@link java.util.ServiceLoader}. */
  public DemoCommand() {
    super(Suite.TPCH, "demo");
  }
}
