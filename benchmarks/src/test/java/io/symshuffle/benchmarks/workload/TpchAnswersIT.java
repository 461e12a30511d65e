// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares answers at scale 1 with those that the TPC-H specification publishes for the
 * qualification database (clauses 2.4.1.5, 2.4.4.5 and so on), which has that scale. Together these
 * queries read most columns of {@code lineitem}, {@code orders} and {@code part}.
 */
@Tag("long")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class TpchAnswersIT {
  private static final List<String> TABLES = List.of("lineitem", "orders", "part", "customer");

  @Test
  void answersAtScale1AreThePublishedOnes(@TempDir Path folder) throws Exception {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "4")
            .config("spark.local.dir", folder.toString())
            .getOrCreate()) {
      TableSet tables = Suite.TPCH.tables();
      Path data = folder.resolve("tables");
      new TableGenerator(spark, tables, 1, step -> {}).write(TABLES, data);
      TableViews.register(spark, tables, TABLES, data);
      assertAll(
          () ->
              assertAnswer(
                  spark,
                  "q1",
                  "A|F|37734107.00|56586554400.73|53758257134.87|55909065222.83|25.52|38273.13|0.05|1478493",
                  "N|F|991417.00|1487504710.38|1413082168.05|1469649223.19|25.52|38284.47|0.05|38854",
                  "N|O|74476040.00|111701729697.74|106118230307.61|110367043872.50|25.50|38249.12|0.05|2920374",
                  "R|F|37719753.00|56568041380.90|53741292684.60|55889619119.83|25.51|38250.85|0.05|1478870"),
          () ->
              assertAnswer(
                  spark,
                  "q4",
                  "1-URGENT|10594",
                  "2-HIGH|10476",
                  "3-MEDIUM|10410",
                  "4-NOT SPECIFIED|10556",
                  "5-LOW|10487"),
          () -> assertAnswer(spark, "q6", "123141078.23"),
          () -> assertAnswer(spark, "q12", "MAIL|6202|9324", "SHIP|6200|9262"),
          () -> assertAnswer(spark, "q14", "16.38"),
          () -> assertAnswer(spark, "q17", "348406.05"),
          () -> assertAnswer(spark, "q19", "3083843.06"));
    }
  }

  private static void assertAnswer(SparkSession spark, String query, String... rows) {
    assertEquals(
        List.of(rows),
        spark.sql(Suite.TPCH.queries().text(query)).collectAsList().stream()
            .map(TpchAnswersIT::line)
            .toList(),
        query);
  }

  /** The specification rounds to cents. */
  private static String line(Row row) {
    return IntStream.range(0, row.size())
        .mapToObj(row::get)
        .map(
            value ->
                value instanceof BigDecimal decimal
                    ? decimal.setScale(2, RoundingMode.HALF_UP).toPlainString()
                    : value.toString().strip())
        .collect(Collectors.joining("|"));
  }
}
