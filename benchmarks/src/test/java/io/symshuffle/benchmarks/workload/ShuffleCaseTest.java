// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShuffleCaseTest {
  private static final int PARTITIONS = 3;
  private static final long ROWS = 1000;

  @TempDir private static Path folder;

  private static SparkSession spark;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.local.dir", folder.toString())
            .config("spark.sql.adaptive.enabled", "false")
            .config("spark.sql.autoBroadcastJoinThreshold", "-1")
            .getOrCreate();
  }

  @AfterAll
  static void stop() throws Exception {
    spark.close();
  }

  @Test
  void planHasAnExchangeOnlyOnRequest() {
    Map<ShuffleCase, Integer> several = Map.of(ShuffleCase.JOIN, 2, ShuffleCase.KEYJOIN, 2);
    assertAll(
        Arrays.stream(ShuffleCase.values())
            .map(
                job ->
                    () ->
                        assertAll(
                            job.label(),
                            // One more exchange collects the sums of all partitions.
                            () ->
                                assertEquals(
                                    several.getOrDefault(job, 1) + 1, exchanges(job, true)),
                            () -> assertEquals(1, exchanges(job, false)))));
  }

  @Test
  void sortsAreNotOptimizedAway() {
    assertAll(
        () -> assertEquals(1, count(plan(ShuffleCase.SORT, true), "Sort [")),
        () -> assertEquals(1, count(plan(ShuffleCase.SORT, false), "Sort [")),
        () -> assertEquals(2, count(plan(ShuffleCase.JOIN, true), "Sort [")),
        () -> assertEquals(2, count(plan(ShuffleCase.KEYJOIN, true), "Sort [")),
        () -> assertEquals(2, count(plan(ShuffleCase.KEYJOIN, false), "Sort [")),
        () -> assertEquals(2, count(plan(ShuffleCase.JOIN, false), "Sort [")));
  }

  @Test
  void resultDependsOnEveryRow() {
    assertAll(
        Arrays.stream(ShuffleCase.values())
            .map(
                job ->
                    () -> {
                      Row row = job.dataset(spark, ROWS, 0, PARTITIONS, true).first();
                      assertEquals(ROWS, row.getLong(row.size() - 1), job.label());
                    }));
  }

  @Test
  void rowsComeFromAsManyMapTasksAsAskedFor() {
    Dataset<Row> rows = ShuffleCase.NARROW.dataset(spark, ROWS, 17, PARTITIONS, false);
    assertTrue(rows.queryExecution().executedPlan().toString().contains("splits=17)"));
  }

  private static int exchanges(ShuffleCase job, boolean exchange) {
    return count(plan(job, exchange), "Exchange ");
  }

  private static String plan(ShuffleCase job, boolean exchange) {
    Dataset<Row> dataset = job.dataset(spark, ROWS, 0, PARTITIONS, exchange);
    return dataset.queryExecution().executedPlan().toString();
  }

  private static int count(String text, String part) {
    return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
  }
}
