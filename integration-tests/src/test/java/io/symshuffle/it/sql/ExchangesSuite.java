// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.result.Comparison;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All kinds of exchanges, and extreme numbers of maps, partitions and rows. */
public abstract class ExchangesSuite {
  @Test
  void hashPartitioningKeepsEqualKeysTogether(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            s ->
                rows(s, 3000)
                    .repartition(7, col("k"))
                    .selectExpr("k", "spark_partition_id() p")
                    .distinct());
    assertEquals(97, comparison.ours().rows().size());
  }

  @Test
  void roundRobinFillsAllPartitionsEvenly(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            s ->
                rows(s, 7000)
                    .repartition(7)
                    .selectExpr("spark_partition_id() p")
                    .groupBy("p")
                    .count());
    assertTrue(
        comparison.ours().rows().stream().allMatch(row -> Math.abs(row.getLong(1) - 1000) <= 3),
        comparison.ours().rows().toString());
  }

  @Test
  void rangePartitioningSplitsByValue(ResultComparer comparer) {
    comparer.compare(
        s -> rows(s, 3000).repartitionByRange(6, col("v").desc()).sortWithinPartitions("v"));
  }

  @Test
  void globalSortIsInOrder(ResultComparer comparer) {
    Comparison comparison = comparer.compare(s -> rows(s, 5000).orderBy(col("v"), col("id")));
    long last = Long.MIN_VALUE;
    for (Row row : comparison.ours().rows()) {
      long v = row.getAs("v");
      assertTrue(v >= last, v + " after " + last);
      last = v;
    }
  }

  @Test
  @Tag("full")
  void mapTasksWithoutRowsAreAllowed(ResultComparer comparer) {
    comparer.compare(s -> rows(s, 2000).filter("id < 100 OR id > 1900").repartition(9, col("k")));
  }

  @Test
  @Tag("full")
  void exchangesMayBeChained(ResultComparer comparer) {
    comparer.compare(
        s ->
            rows(s, 2000)
                .repartition(5)
                .repartition(3, col("k"))
                .union(rows(s, 10).repartition(2))
                .repartitionByRange(4, col("id"))
                .coalesce(2));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 255, 256, 2001})
  @Tag("full")
  void shufflesIntoAnyNumberOfPartitions(int partitions, ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            s -> {
              s.conf().set("spark.sql.shuffle.partitions", partitions);
              return rows(s, 3000).groupBy("k").count();
            });
    assertEquals(97, comparison.ours().rows().size());
    assertEquals(
        partitions,
        comparison.ours().plan().exchanges().getFirst().outputPartitioning().numPartitions());
  }

  @Test
  @Tag("full")
  void shufflesInto20000Partitions(ResultComparer comparer) {
    comparer.compare(
        s -> {
          s.conf().set("spark.sql.shuffle.partitions", 20_000);
          return rows(s, 30_000).groupBy("id").count();
        });
  }

  @Test
  @Tag("full")
  void shufflesManyMapsIntoManyPartitions(ResultComparer comparer) {
    manyByMany(comparer, 201);
  }

  static void manyByMany(ResultComparer comparer, int number) {
    comparer.compare(
        s -> {
          s.conf().set("spark.sql.adaptive.coalescePartitions.enabled", false);
          return s.range(0, 20L * number, 1, number)
              .selectExpr("id", "id * 31 % 1009 v")
              .repartition(number, col("v"))
              .selectExpr("count(*)", "sum(id)", "sum(v)");
        });
  }

  static Dataset<Row> rows(SparkSession session, long number) {
    return session
        .range(0, number, 1, 4)
        .selectExpr("id", "id % 97 k", "(id * 7919) % 10007 v", "concat('row ', id) s");
  }
}
