// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import io.symshuffle.it.record.Recording;
import io.symshuffle.it.result.Comparison;
import io.symshuffle.it.result.ExecutedPlan;
import io.symshuffle.it.result.QueryRun;
import io.symshuffle.it.result.RowMultiset;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs a query with our shuffle and with Spark's sort shuffle, in one application and each on a new
 * Dataset, and compares their rows: sort shuffle is the independent implementation. Immutable: the
 * {@code with} methods return a changed copy.
 */
public final class ResultComparer {
  /** The run-time switch: with {@code false}, later exchanges use sort shuffle. */
  public static final String SWITCH = "spark.symshuffle.enabled";

  private final SparkCluster cluster;
  private final double tolerance;

  private ResultComparer(SparkCluster cluster, double tolerance) {
    this.cluster = cluster;
    this.tolerance = tolerance;
  }

  /** Returns an exact comparer; with the plugin, all shuffles of the first run must be ours. */
  public static ResultComparer on(SparkCluster cluster) {
    return new ResultComparer(cluster, 0);
  }

  /**
   * Returns a copy that allows this relative difference in floating-point columns.
   *
   * @param relative of the larger magnitude, 1e-9 for example
   */
  public ResultComparer withTolerance(double relative) {
    return new ResultComparer(cluster, relative);
  }

  /** Compares an SQL query. */
  public Comparison compare(String sql) {
    return compare(session -> session.sql(sql));
  }

  /**
   * Compares a query.
   *
   * @param query creates a new Dataset on each call; called twice
   * @throws AssertionError with the first differences and both plans, or if a run used the wrong
   *     shuffle
   */
  public Comparison compare(Function<SparkSession, Dataset<Row>> query) {
    QueryRun ours = run(query, true);
    QueryRun sparks = run(query, false);
    RowMultiset.of(ours.rows())
        .difference(RowMultiset.of(sparks.rows()), tolerance)
        .ifPresent(
            difference -> {
              throw new AssertionError(
                  "rows differ from sort shuffle's: %s%nplan with our shuffle:%n%s%nwith Spark's:%n%s"
                      .formatted(difference, ours.plan(), sparks.plan()));
            });
    return new Comparison(ours, sparks);
  }

  /**
   * Returns an execution with our shuffle or Spark's, after checking that it used that one.
   *
   * @param query creates a new Dataset on each call
   * @param ours false for Spark's sort shuffle
   */
  public QueryRun run(Function<SparkSession, Dataset<Row>> query, boolean ours) {
    SparkSession session = cluster.session();
    session.conf().set(SWITCH, Boolean.toString(ours));
    try {
      Dataset<Row> dataset = query.apply(session);
      Recording<List<Row>> recording = cluster.record(dataset::collectAsList);
      QueryRun run = new QueryRun(recording.value(), ExecutedPlan.of(dataset), recording);
      check(run, ours);
      return run;
    } finally {
      session.conf().unset(SWITCH);
    }
  }

  private void check(QueryRun run, boolean ours) {
    long all = run.plan().exchangesRun();
    long taken = run.plan().ourExchanges();
    if (ours && cluster.spec().plugin().isPresent() && taken < all) {
      throw new AssertionError(
          "our shuffle served %d of %d exchanges of%n%s".formatted(taken, all, run.plan()));
    }
    if (!ours && taken > 0) {
      throw new AssertionError(
          "our shuffle served %d of %d exchanges although %s is false:%n%s"
              .formatted(taken, all, SWITCH, run.plan()));
    }
  }
}
