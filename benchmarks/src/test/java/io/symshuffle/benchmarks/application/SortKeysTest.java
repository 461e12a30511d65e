// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Date;
import java.util.List;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SortKeysTest {
  @Test
  void findsTheColumnsOfTheOutermostOrder(@TempDir Path folder) throws Exception {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.local.dir", folder.toString())
            .getOrCreate()) {
      spark.sql("select 1 as a, 2 as b, 3 as c").createOrReplaceTempView("t");
      assertAll(
          () -> assertEquals(List.of(), keys(spark, "select a, b from t")),
          () -> assertEquals(List.of(1, 0), keys(spark, "select a, b from t order by b desc, a")),
          () -> assertEquals(List.of(0), keys(spark, "select a from t order by a limit 3")),
          () -> assertEquals(List.of(1), keys(spark, "select a, b from t order by b, c, a")),
          () ->
              assertEquals(
                  List.of(1),
                  keys(spark, "with u as (select a, b from t) select a, b from u order by b")),
          () ->
              assertEquals(
                  List.of(1), keys(spark, "select a, sum(b) as s from t group by a order by s")),
          () ->
              assertEquals(
                  List.of(),
                  keys(spark, "select a from (select a from t order by a)" + " where a > 0")));
    }
  }

  @Test
  void differentRowsGiveDifferentLines() {
    assertAll(
        () -> assertEquals("a\\pb|\\N|c\\nd", line("a|b", null, "c\nd")),
        () -> assertEquals("\\\\N", line("\\N")),
        () -> assertEquals("0.10|1.5", line(new BigDecimal("0.10"), 1.5)),
        () ->
            assertEquals("1998-12-01|00ff", line(Date.valueOf("1998-12-01"), new byte[] {0, -1})));
  }

  private static String line(Object... values) {
    return CanonicalRows.line(RowFactory.create(values));
  }

  private static List<Integer> keys(SparkSession spark, String sql) {
    return SortKeys.of(spark.sql(sql).queryExecution().analyzed());
  }
}
