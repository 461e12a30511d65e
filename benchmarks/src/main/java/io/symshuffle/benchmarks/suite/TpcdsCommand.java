// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.workload.Suite;
import picocli.CommandLine.Command;

/** {@code symshuffle bench tpcds}. */
@Command(
    name = "tpcds",
    description = {
      "Runs the 103 TPC-DS queries of Spark's tests (q1 to q99; q14, q23, q24 and q39 have two"
          + " variants, a and b) with Spark's sort shuffle and with SymShuffle, whose applications"
          + " start in turn. Compares their rows and reports the times as a"
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
public final class TpcdsCommand extends SuiteCommand implements Benchmark {
  public TpcdsCommand() {
    super(Suite.TPCDS, "bench tpcds", 1);
  }
}
