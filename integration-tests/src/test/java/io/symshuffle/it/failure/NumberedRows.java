// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/** Rows with unique numbers, which reveal lost, duplicate and wrong ones. */
public final class NumberedRows {
  /** Number of rows. */
  public static final int NUMBER = 12_000;

  /** Number of tasks that create them. */
  public static final int TASKS = 12;

  /** The expected result of {@link #sums}. */
  public static final Sums EXPECTED = new Sums(NUMBER, (long) NUMBER * (NUMBER - 1) / 2, NUMBER);

  /** Count, sum and distinct count of {@code id}. */
  public record Sums(long rows, long sum, long distinct) {}

  private NumberedRows() {}

  /** Registers {@code slow(id)}, which returns its argument slowly: a task takes 0.5 s. */
  static void registerSlow(SparkSession session) {
    session.udf().register("slow", (UDF1<Long, Long>) NumberedRows::slow, DataTypes.LongType);
  }

  /** Returns rows with a short text, see {@link #rows(SparkSession, String, int)}. */
  static Dataset<Row> rows(SparkSession session, String id) {
    return rows(session, id, 1);
  }

  /**
   * Returns the rows: {@code id}, a key {@code k} of 101 values, a text and its length {@code n}.
   *
   * @param id expression for the ID, such as {@code slow(id)}
   * @param repeat number of repetitions of a text of about 18 bytes
   */
  static Dataset<Row> rows(SparkSession session, String id, int repeat) {
    return session
        .range(0, NUMBER, 1, TASKS)
        .selectExpr(id, "id % 101 k", "repeat(concat('row number ', id, ' '), " + repeat + ") text")
        .selectExpr("id", "k", "text", "length(text) AS n");
  }

  /** Sums the column {@code id}. */
  static Sums sums(JavaRDD<Row> rows) {
    return sumsOf(rows.map(row -> row.<Long>getAs("id")).collect());
  }

  /** Sums numbers of rows. */
  public static Sums sumsOf(List<Long> ids) {
    return new Sums(
        ids.size(), ids.stream().mapToLong(Long::longValue).sum(), ids.stream().distinct().count());
  }

  public static long slow(long id) throws InterruptedException {
    if (id % 100 == 0) {
      Thread.sleep(50);
    }
    return id;
  }
}
