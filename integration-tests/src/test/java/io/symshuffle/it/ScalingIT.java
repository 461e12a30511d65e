// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.it;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.wait.Await;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import scala.Option;

/** Spark adds and removes executors; on one host, nothing is recomputed. */
class ScalingIT {
  private static final int ROWS = 12_000;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  @SparkTest(
      conf = {
        "spark.dynamicAllocation.enabled=true",
        "spark.dynamicAllocation.shuffleTracking.enabled=false",
        "spark.dynamicAllocation.initialExecutors=2",
        "spark.dynamicAllocation.minExecutors=0",
        "spark.dynamicAllocation.maxExecutors=2",
        "spark.dynamicAllocation.executorIdleTimeout=3s",
        "spark.dynamicAllocation.schedulerBacklogTimeout=1s",
        "spark.symshuffle.heap.size=64m"
      })
  void dynamicAllocationReplacesExecutorsWithoutRecomputation(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session());
    assertEquals(ROWS, shuffled.count());
    Await.until("all executors are gone", LIMIT, () -> cluster.executors().isEmpty());
    assertReadWithoutRecomputation(cluster, shuffled);
  }

  @Test
  @SparkTest(conf = {"spark.decommission.enabled=true", "spark.symshuffle.heap.size=64m"})
  void mapOutputsOfADecommissionedExecutorStayReadable(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session());
    assertEquals(ROWS, shuffled.count());
    String leaving = cluster.executors().getFirst().executorId();
    ExecutorAllocationClient client =
        (ExecutorAllocationClient) cluster.context().schedulerBackend();
    assertTrue(
        client.decommissionExecutor(
            leaving, new ExecutorDecommissionInfo("the test", Option.empty()), true, false));
    Await.until(
        "executor " + leaving + " is gone",
        LIMIT,
        () ->
            cluster.executors().stream()
                .map(ExecutorProcess::executorId)
                .noneMatch(leaving::equals));
    assertReadWithoutRecomputation(cluster, shuffled);
    cluster.discard();
  }

  private static JavaRDD<Row> rows(SparkSession session) {
    return session
        .range(0, ROWS, 1, 12)
        .selectExpr("id", "id % 101 k")
        .repartition(8, col("k"))
        .javaRDD();
  }

  private static void assertReadWithoutRecomputation(SparkCluster cluster, JavaRDD<Row> shuffled) {
    Recording<List<Long>> recording =
        cluster.record(() -> shuffled.map(row -> row.<Long>getAs("id")).collect());
    assertEquals(
        LongStream.range(0, ROWS).boxed().toList(), recording.value().stream().sorted().toList());
    assertEquals(List.of(), recording.fetchFailures());
    assertEquals(0, recording.totals().recordsWritten());
    assertEquals(1, recording.stages().size());
  }
}
