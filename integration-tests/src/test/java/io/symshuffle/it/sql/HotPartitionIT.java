// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.result.QueryRun;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One of more than 2,000 partitions has many of the rows, and Spark's tracker keeps averages. The
 * executors do not read each other's heaps, as on several hosts.
 */
class HotPartitionIT {
  private static final int PARTITIONS = 2_100;

  @Test
  @Tag("long")
  @SparkTest(
      executors = 3,
      memoryMb = 512,
      conf = {
        "spark.symshuffle.read.peerMapping=false",
        "spark.shuffle.accurateBlockSkewedFactor=-1",
        "spark.sql.adaptive.enabled=false"
      })
  void hotPartitionArrivesInExecutorsWithLittleMemory(
      SparkCluster cluster, ResultComparer comparer) {
    assertArrives(cluster, comparer);
  }

  @Test
  @Tag("long")
  @SparkTest(
      executors = 3,
      memoryMb = 512,
      conf = {
        "spark.symshuffle.heap.size=64m",
        "spark.symshuffle.transfer.compression=none",
        "spark.symshuffle.read.peerMapping=false",
        "spark.shuffle.accurateBlockSkewedFactor=-1",
        "spark.sql.adaptive.enabled=false"
      })
  void hotPartitionArrivesFromDiskWithoutCompression(
      SparkCluster cluster, ResultComparer comparer) {
    assertArrives(cluster, comparer);
  }

  /** The hot partition has 1.2 GB, and each executor 512 MB for direct memory. */
  private static void assertArrives(SparkCluster cluster, ResultComparer comparer) {
    List<?> before = cluster.executors();
    List<Row> expected = sums(rows(cluster.session(), 80, 15_000)).collectAsList();
    QueryRun run =
        comparer.run(
            session -> sums(rows(session, 80, 15_000).repartition(PARTITIONS, col("k"))), true);
    assertEquals(expected, run.rows());
    assertEquals(List.of(), run.recording().failures());
    assertEquals(before, cluster.executors());
    assertTrue(cluster.gauges().sum("read.transfer.bytes") > 500L << 20);
  }

  @Test
  @Tag("full")
  @SparkTest(
      conf = {
        "spark.symshuffle.read.peerMapping=false",
        "spark.sql.adaptive.advisoryPartitionSizeInBytes=100k",
        "spark.sql.shuffle.partitions=2100"
      })
  void adaptiveExecutionSplitsHotPartition(ResultComparer comparer) {
    QueryRun run =
        comparer.run(
            session ->
                rows(session, 8, 1_000)
                    .hint("rebalance", col("k"))
                    .selectExpr("k", "text", "spark_partition_id() p")
                    .where("k = -1")
                    .groupBy("p")
                    .agg(expr("sum(length(text))")),
            true);
    assertTrue(run.rows().size() > 1, () -> "the hot key is in one partition: " + run.plan());
  }

  /** About 1 KB each; {@code hot} rows of each map task have the key -1. */
  private static Dataset<Row> rows(SparkSession session, int maps, int hot) {
    long ofMap = hot + 2L * PARTITIONS;
    String hash = "sha2(string(id), 512)";
    return session
        .range(0, ofMap * maps, 1, maps)
        .selectExpr(
            "if(id %% %d < %d, -1, id) k".formatted(ofMap, hot),
            "concat(%1$s, %1$s, %1$s, %1$s, %1$s, %1$s, %1$s, %1$s) text".formatted(hash));
  }

  private static Dataset<Row> sums(Dataset<Row> rows) {
    return rows.selectExpr("sum(crc32(cast(text as binary)))", "sum(length(text))", "count(*)");
  }
}
