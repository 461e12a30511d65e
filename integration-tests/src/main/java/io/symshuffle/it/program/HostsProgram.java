// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.spark.api.java.function.ForeachFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * An application for {@code spark-submit} on several hosts. For each line of its input, it
 * repartitions and joins rows, with SymShuffle if the line starts with {@code ours} and with sort
 * shuffle otherwise, and prints {@code answer=... of <line>}. Ends with its input.
 */
public final class HostsProgram {
  private HostsProgram() {}

  /**
   * Runs the application.
   *
   * @param arguments the number of rows
   * @throws IOException if the input cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    long count = Long.parseLong(arguments[0]);
    try (SparkSession session = SparkSession.builder().getOrCreate();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      // Wait for all executors.
      while (session.sparkContext().statusTracker().getExecutorInfos().length < 3) {
        session.range(0, 100, 1, 4).foreach((ForeachFunction<Long>) HostsProgram::nothing);
      }
      System.out.println("ready");
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        session.conf().set("spark.symshuffle.enabled", Boolean.toString(line.startsWith("ours")));
        System.out.printf("answer=%s of %s%n", answer(session, count), line);
      }
    }
  }

  private static void nothing(Long number) {}

  private static Row answer(SparkSession session, long count) {
    Dataset<Row> rows =
        session
            .range(0, count, 1, 4)
            .selectExpr(
                "id k", "id * 7 v", "cast(id AS double) / 3 d", "concat('row-', id % 1000) s")
            .repartition(8);
    Dataset<Row> others = session.range(0, count / 4, 1, 4).selectExpr("id * 4 k", "id % 100 g");
    return rows.join(others.hint("merge"), "k")
        .selectExpr("count(*)", "sum(hash(k, v, d, s, g))")
        .first();
  }
}
