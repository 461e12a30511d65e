// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.workload.ShuffleCase;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * A query or case to compare. Requests are created with the file for the rows of the result.
 *
 * @param rows number of input rows; 0 for a query
 * @param partitions number of partitions; 0 for a query
 * @param unlimited for work that ends with a LIMIT, creates the request without it
 * @param base for a case, creates the request without the exchange; jobs of the same name share its
 *     runs
 * @param kill whether an executor is killed when the first stage starts that reads a shuffle
 */
public record Job(
    String name,
    long rows,
    int partitions,
    Function<Path, Request> request,
    Optional<Function<Path, Request>> unlimited,
    Optional<Function<Path, Request>> base,
    boolean kill) {
  /** A query. */
  public static Job query(String name, String sql, Optional<String> unlimited) {
    return new Job(
        name,
        0,
        0,
        query(name, sql),
        unlimited.map(text -> query(name + " without its limit", text)),
        Optional.empty(),
        false);
  }

  /**
   * A case of the shuffle benchmark, which also runs without its exchange.
   *
   * @param maps number of map tasks of each exchange; 0 for the usual number
   */
  public static Job ofCase(ShuffleCase job, long rows, int maps, int partitions) {
    return new Job(
        job.label(),
        rows,
        partitions,
        file -> new Request.Case(job.label(), rows, maps, partitions, true, file.toString()),
        Optional.empty(),
        Optional.of(
            file -> new Request.Case(job.label(), rows, maps, partitions, false, file.toString())),
        false);
  }

  /** Returns the same job during which an executor is killed. */
  public Job killing() {
    return new Job(name, rows, partitions, request, unlimited, base, true);
  }

  /** Its name in reports. */
  String title() {
    return kill ? name + ", kill" : name;
  }

  private static Function<Path, Request> query(String name, String sql) {
    return file -> new Request.Query(name, sql, file.toString());
  }
}
