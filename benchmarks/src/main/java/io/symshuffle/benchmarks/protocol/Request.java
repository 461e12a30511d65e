// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import java.util.List;

/** What the command line asks of an application. */
public sealed interface Request {
  /**
   * Generate the tables of a suite as Parquet; answered by {@link Reply.Generated}.
   *
   * @param suite the name of the {@link io.symshuffle.benchmarks.workload.Suite}
   * @param tables the names of those that are wanted
   * @param scale the scale factor; 1 is about 1 GB of text
   * @param folder where the tables go, a folder for each; overwritten
   */
  record Generate(String suite, List<String> tables, double scale, String folder)
      implements Request {}

  /**
   * Make tables of the folder temporary views; answered by {@link Reply.Done}.
   *
   * @param suite the name of the {@link io.symshuffle.benchmarks.workload.Suite}
   * @param tables the names of those that are wanted
   * @param folder what {@link Generate} wrote
   */
  record Tables(String suite, List<String> tables, String folder) implements Request {}

  /**
   * Run a query; answered by {@link Reply.Measured}.
   *
   * @param name what Spark's UI and event log call it
   * @param sql the text
   * @param rowsFile where the canonical rows go, one a line
   */
  record Query(String name, String sql, String rowsFile) implements Request {}

  /**
   * Run one job of the shuffle benchmark; answered by {@link Reply.Measured}.
   *
   * @param name the name of the {@link io.symshuffle.benchmarks.workload.ShuffleCase}
   * @param rows how many rows are made
   * @param partitions into how many partitions they go
   * @param exchange false: the same without the exchange
   * @param rowsFile where the canonical rows go, one a line
   */
  record Case(String name, long rows, int partitions, boolean exchange, String rowsFile)
      implements Request {}

  /** Free what earlier queries shuffled; answered by {@link Reply.Done}. */
  record Clean() implements Request {}

  /**
   * Look for what finished queries have left; answered by {@link Reply.Leaks}.
   *
   * @param heaps the folder of the application's heaps
   * @param local the folder under which its executors write
   * @param seconds how long to wait for it to go away
   */
  record Leaks(String heaps, String local, long seconds) implements Request {}

  /** End the application; answered by {@link Reply.Done}. */
  record Stop() implements Request {}
}
