// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import io.symshuffle.it.result.ExecutedPlan;
import io.symshuffle.it.wait.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * An application for {@code spark-submit}: shuffles and prints a line with the result, and repeats
 * this when a file appears.
 *
 * <p>Arguments: the file to wait for, or nothing for one round, and how many rows to shuffle, by
 * default 4000. A line is {@code rows=100 sum=7998000 exchanges=2 ours=2 application=...}.
 */
public final class ShuffleProgram {

  private ShuffleProgram() {}

  /**
   * Runs the application.
   *
   * @throws IOException if the session does not close
   */
  public static void main(String[] arguments) throws IOException {
    try (SparkSession session = SparkSession.builder().getOrCreate()) {
      long rows = arguments.length > 1 ? Long.parseLong(arguments[1]) : 4000;
      round(session, rows);
      if (arguments.length > 0) {
        Path go = Path.of(arguments[0]);
        Await.until(go + " is there", () -> Files.exists(go));
        round(session, rows);
      }
    }
  }

  private static void round(SparkSession session, long count) {
    Dataset<Row> groups =
        session
            .range(0, count, 1, 4)
            .repartition(5)
            .selectExpr("id % 100 k", "id")
            .groupBy("k")
            .sum("id");
    List<Row> rows = groups.collectAsList();
    long sum = rows.stream().mapToLong(row -> row.getLong(1)).sum();
    ExecutedPlan plan = ExecutedPlan.of(groups);
    System.out.printf(
        "rows=%d sum=%d exchanges=%d ours=%d application=%s%n",
        rows.size(),
        sum,
        plan.exchanges().size(),
        plan.ourExchanges(),
        session.sparkContext().applicationId());
  }
}
