// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/** A request of a command to an application. */
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "kind")
public sealed interface Request {
  /**
   * Generate the tables of a suite as Parquet; answered by {@link Reply.Generated}.
   *
   * @param suite the name of the {@link io.symshuffle.benchmarks.workload.Suite}
   * @param scale the scale factor; 1 is about 1 GB of text
   * @param folder gets a folder per table; existing ones are replaced
   */
  record Generate(String suite, List<String> tables, double scale, String folder)
      implements Request {}

  /**
   * Register tables as temporary views; answered by {@link Reply.Done}.
   *
   * @param suite the name of the {@link io.symshuffle.benchmarks.workload.Suite}
   * @param folder what {@link Generate} wrote
   */
  record Tables(String suite, List<String> tables, String folder) implements Request {}

  /**
   * Run a query; answered by {@link Reply.Measured}.
   *
   * @param name name in Spark's UI and event log
   * @param rowsFile file for the canonical rows, one per line
   */
  record Query(String name, String sql, String rowsFile) implements Request {}

  /**
   * Run a query twice on the same plan; answered by {@link Reply.Measured} for the second run. It
   * reads the map outputs of the first run as far as they still exist, and otherwise runs the same
   * shuffles again.
   *
   * @param name name in Spark's UI and event log
   * @param lostHeaps folder of the heaps whose runs are erased between the two runs; empty if none
   * @param rowsFile file for the canonical rows of the second run, one per line
   */
  record Twice(String name, String sql, String lostHeaps, String rowsFile) implements Request {}

  /**
   * Run one job of the shuffle benchmark; answered by {@link Reply.Measured}.
   *
   * @param name the name of the {@link io.symshuffle.benchmarks.workload.ShuffleCase}
   * @param maps number of map tasks of each exchange; 0 for the usual number
   * @param exchange false for the same job without the exchange
   * @param rowsFile file for the canonical rows, one per line
   */
  record Case(String name, long rows, int maps, int partitions, boolean exchange, String rowsFile)
      implements Request {}

  /**
   * Run a collective, or what Spark has for it, in tasks of a stage, and check the result; answered
   * by {@link Reply.Counted} with {@code seconds}, of one call in the slowest task; {@code queued},
   * seconds of the slowest GPU for one of many queued calls, 0 if calls cannot be queued; and
   * {@code wrong}, the number of tasks with a wrong result.
   *
   * @param provider the name of a {@link io.symshuffle.benchmarks.barrier.Provider}
   * @param method the label of a {@link io.symshuffle.benchmarks.barrier.Collective}
   * @param bytes of each task
   * @param times how often to measure it; slow calls less often
   */
  record Collect(String provider, String method, int tasks, long bytes, int times)
      implements Request {}

  /** Wait until there are as many executors as at the start; answered by {@link Reply.Done}. */
  record AwaitExecutors() implements Request {}

  /**
   * During the next query or job, send a {@link Reply.Progress} when its first stage starts that
   * reads a shuffle; answered by {@link Reply.Done}.
   */
  record Announce() implements Request {}

  /** Read the counters of the executors; answered by {@link Reply.Counted}. */
  record Counters() implements Request {}

  /** Remove the shuffles of earlier queries; answered by {@link Reply.Done}. */
  record Clean() implements Request {}

  /**
   * Find leaks of finished queries; answered by {@link Reply.Leaks}.
   *
   * @param local folder of its executors' files
   * @param seconds how long to wait until nothing is left
   */
  record Leaks(String heaps, String local, long seconds) implements Request {}

  /** End the application; answered by {@link Reply.Done}. */
  record Stop() implements Request {}
}
