// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertIterableEquals;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.result.ExecutedPlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** Shuffles of the RDD interface, which share the manager with those of SQL, and of kept data. */
abstract class RddSuite {
  private static final int ROWS = 3000;
  private static final int KEYS = 100;

  @TempDir private Path folder;

  @Test
  void shufflesWithJavaSerialization(SparkCluster cluster) {
    allAreRight(cluster);
  }

  @Test
  @Tag("full")
  void cachedDataIsThatOfSortShuffle(ResultComparer comparer) {
    comparer.compare(session -> shuffledTwice(session, Dataset::persist));
  }

  @Test
  @Tag("full")
  void checkpointedDataIsThatOfSortShuffle(ResultComparer comparer) {
    comparer.compare(
        session -> {
          session.sparkContext().setCheckpointDir(folder.toString());
          return shuffledTwice(session, Dataset::checkpoint);
        });
  }

  private static Dataset<Row> shuffledTwice(
      SparkSession session, UnaryOperator<Dataset<Row>> keep) {
    // The run before has cached the same plan.
    session.catalog().clearCache();
    Dataset<Row> kept =
        keep.apply(
            session
                .range(0, 5_000, 1, 3)
                .selectExpr("id", "id % 97 key", "string(id) text")
                .repartition(5, col("key")));
    return kept.groupBy("key").count().join(kept, "key");
  }

  static void allAreRight(SparkCluster cluster) {
    JavaPairRDD<String, Integer> pairs = pairs(cluster);
    assertEquals(Map.copyOf(sums()), Map.copyOf(pairs.reduceByKey(Integer::sum).collectAsMap()));
    assertEquals(
        Map.copyOf(sums()), Map.copyOf(pairs.groupByKey().mapValues(RddSuite::sum).collectAsMap()));
    assertEquals(
        Map.copyOf(sums()),
        Map.copyOf(pairs.aggregateByKey(0, 5, Integer::sum, Integer::sum).collectAsMap()));
    assertIterableEquals(
        pairs.keys().collect().stream().sorted().toList(), pairs.sortByKey().keys().collect());
    assertEquals(ROWS, pairs.values().repartition(7).count());
    assertEquals(KEYS, pairs.keys().distinct().count());
    assertEquals(
        (long) ROWS * ROWS / KEYS,
        pairs.join(pairs.partitionBy(new org.apache.spark.HashPartitioner(3))).count());
    assertEquals(1, ExecutedPlan.shuffles(pairs.reduceByKey(Integer::sum).rdd()).size());
    // Shuffles of SQL still work.
    assertEquals(
        KEYS, cluster.session().range(0, ROWS, 1, 4).selectExpr("id % 100").distinct().count());
  }

  private static JavaPairRDD<String, Integer> pairs(SparkCluster cluster) {
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, ROWS).boxed().toList());
    JavaRDD<Integer> rdd =
        JavaSparkContext.fromSparkContext(cluster.context()).parallelize(numbers, 5);
    return rdd.mapToPair(number -> new Tuple2<>("key " + number % KEYS, number));
  }

  private static Map<String, Integer> sums() {
    return Collections.unmodifiableMap(
        IntStream.range(0, ROWS)
            .boxed()
            .collect(
                java.util.stream.Collectors.toMap(
                    number -> "key " + number % KEYS, number -> number, Integer::sum)));
  }

  private static int sum(Iterable<Integer> values) {
    int sum = 0;
    for (int value : values) {
      sum += value;
    }
    return sum;
  }
}
