// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.result.ExecutedPlan;
import io.symshuffle.it.result.RowMultiset;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * An application for {@code spark-submit} in any mode: runs each query with SymShuffle and with
 * sort shuffle, compares the rows, and prints {@code equal=5 of 5 queries, ours=7 of 7 exchanges}.
 */
public final class ComparisonProgram {
  /** The number of queries. */
  public static final int COUNT = 5;

  private static final String TABLE =
      "(SELECT id, id % 97 k, cast(id / 3 AS decimal(12, 2)) d, if(id % 5 = 0, null, concat('row-',"
          + " id)) s FROM range(0, 40000, 1, 6))";

  private static final List<String> QUERIES =
      List.of(
          "SELECT k, count(*), sum(d), max(s) FROM T GROUP BY k",
          "SELECT /*+ MERGE(b) */ a.id, a.s, b.d FROM T a JOIN T b ON a.id = b.id + 1",
          "SELECT /*+ SHUFFLE_HASH(b) */ a.k, b.id FROM T a LEFT JOIN T b"
              + " ON a.id = b.id * 2 AND b.id % 3 = 0 WHERE a.id < 20000",
          "SELECT k, id, row_number() OVER (PARTITION BY k ORDER BY id DESC) r FROM T",
          "SELECT /*+ REPARTITION(9) */ * FROM T");

  private ComparisonProgram() {}

  /**
   * Runs the application.
   *
   * @throws IOException if the session does not close
   */
  public static void main(String[] arguments) throws IOException {
    try (SparkSession session = SparkSession.builder().getOrCreate()) {
      int equal = 0;
      long ours = 0;
      long exchanges = 0;
      for (String query : QUERIES) {
        String sql = query.replace("FROM T", "FROM " + TABLE).replace("JOIN T", "JOIN " + TABLE);
        session.conf().set(ResultComparer.SWITCH, "true");
        Dataset<Row> dataset = session.sql(sql);
        RowMultiset rows = RowMultiset.of(dataset.collectAsList());
        ExecutedPlan plan = ExecutedPlan.of(dataset);
        ours += plan.ourExchanges();
        exchanges += plan.exchangesRun();
        session.conf().set(ResultComparer.SWITCH, "false");
        RowMultiset expected = RowMultiset.of(session.sql(sql).collectAsList());
        String difference = rows.difference(expected, 0).orElse("");
        System.out.printf("%d rows of %s%s%n", rows.rows(), query, difference);
        equal += difference.isEmpty() && rows.rows() > 0 ? 1 : 0;
      }
      System.out.printf(
          "equal=%d of %d queries, ours=%d of %d exchanges%n",
          equal, QUERIES.size(), ours, exchanges);
    }
  }
}
