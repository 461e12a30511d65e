// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.Folders;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.ReleasedMemory;
import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.wait.Await;
import java.util.List;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.Option;

/** Spark adds and removes executors; on one host, nothing is recomputed. */
class ScalingIT {

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
  @Tag("full")
  void dynamicAllocationReplacesExecutorsWithoutRecomputation(SparkCluster cluster) {
    JavaRDD<Row> shuffled = ShuffledRows.of(cluster.session());
    assertEquals(ShuffledRows.COUNT, shuffled.count());
    Await.until("all executors are gone", () -> cluster.executors().isEmpty());
    ShuffledRows.assertReadWithoutRecomputation(cluster, shuffled);
  }

  @Test
  @SparkTest(
      conf = {
        "spark.dynamicAllocation.enabled=true",
        "spark.dynamicAllocation.initialExecutors=2",
        "spark.dynamicAllocation.minExecutors=0",
        "spark.dynamicAllocation.maxExecutors=2",
        "spark.dynamicAllocation.executorIdleTimeout=3s",
        "spark.symshuffle.heap.size=64m"
      })
  @Tag("full")
  void executorsThatLeaveAfterTheirShufflesLeaveNoHeaps(SparkCluster cluster) {
    JavaRDD<Row> shuffled = ShuffledRows.of(cluster.session());
    assertEquals(ShuffledRows.COUNT, shuffled.count());
    cluster.context().cleaner().get().doCleanupShuffle(ReleasedMemory.shuffleId(shuffled), true);
    Await.until("all executors are gone", () -> cluster.executors().isEmpty());
    Await.until(
        "no heap is left",
        () ->
            Folders.under(cluster.heapFolder())
                .noneMatch(file -> file.toString().endsWith(".heap")));
  }

  /**
   * Without peer mapping, executors behave as if they ran on different hosts. There is no shuffle
   * service: executors would not start if they used it. Map outputs that move pass through files,
   * which are encrypted here.
   */
  @Test
  @SparkTest(
      conf = {
        "spark.shuffle.service.enabled=true",
        "spark.shuffle.push.enabled=true",
        "spark.io.encryption.enabled=true",
        "spark.shuffle.useOldFetchProtocol=true",
        "spark.dynamicAllocation.enabled=true",
        "spark.dynamicAllocation.shuffleTracking.enabled=false",
        "spark.dynamicAllocation.initialExecutors=2",
        "spark.dynamicAllocation.minExecutors=1",
        "spark.dynamicAllocation.maxExecutors=2",
        "spark.dynamicAllocation.executorIdleTimeout=3s",
        "spark.decommission.enabled=true",
        "spark.storage.decommission.enabled=true",
        "spark.storage.decommission.replicationReattemptInterval=1s",
        "spark.symshuffle.read.peerMapping=false",
        "spark.symshuffle.heap.size=64m"
      })
  @Tag("full")
  void mapOutputsMoveInsteadOfStayingWithAShuffleService(SparkCluster cluster) {
    JavaRDD<Row> shuffled = ShuffledRows.of(cluster.session());
    assertEquals(ShuffledRows.COUNT, shuffled.count());
    Await.until("one executor is left", () -> cluster.executors().size() == 1);
    ShuffledRows.assertReadWithoutRecomputation(cluster, shuffled);
    String log = cluster.driverLog();
    for (String key : new String[] {"service.enabled", "push.enabled", "useOldFetchProtocol"}) {
      assertEquals(
          2, log.split("spark.shuffle." + key + " is 'true', but ", -1).length, "warnings: " + key);
    }
  }

  @Test
  @SparkTest(
      conf = {
        "spark.shuffle.service.enabled=true",
        "spark.dynamicAllocation.enabled=true",
        "spark.dynamicAllocation.shuffleTracking.enabled=false",
        "spark.dynamicAllocation.initialExecutors=2",
        "spark.dynamicAllocation.minExecutors=0",
        "spark.dynamicAllocation.maxExecutors=2",
        "spark.dynamicAllocation.executorIdleTimeout=2s",
        "spark.symshuffle.read.peerMapping=false",
        "spark.symshuffle.heap.size=64m"
      })
  @Tag("long")
  void idleExecutorsWithMapOutputsStayWithoutAShuffleService(SparkCluster cluster)
      throws InterruptedException {
    JavaRDD<Row> shuffled = ShuffledRows.of(cluster.session());
    assertEquals(ShuffledRows.COUNT, shuffled.count());
    Thread.sleep(8_000);
    assertEquals(2, cluster.executors().size());
    ShuffledRows.assertReadWithoutRecomputation(cluster, shuffled);
  }

  @Test
  @SparkTest(
      conf = {
        "spark.shuffle.service.enabled=true",
        "spark.symshuffle.read.peerMapping=false",
        "spark.symshuffle.heap.size=64m"
      })
  @Tag("full")
  void mapOutputsOfALostExecutorAreRecomputedWithoutFailedFetches(SparkCluster cluster) {
    JavaRDD<Row> shuffled = ShuffledRows.of(cluster.session());
    assertEquals(ShuffledRows.COUNT, shuffled.count());
    cluster.kill(cluster.executors().getFirst().executorId());
    cluster.awaitExecutors();
    Recording<Long> recording = cluster.record(shuffled::count);
    assertEquals(ShuffledRows.COUNT, recording.value());
    assertEquals(List.of(), recording.fetchFailures());
    long again = recording.totals().recordsWritten();
    assertTrue(again > 0 && again < ShuffledRows.COUNT, "recomputed rows: " + again);
  }

  @Test
  @SparkTest(conf = {"spark.decommission.enabled=true", "spark.symshuffle.heap.size=64m"})
  void mapOutputsOfADecommissionedExecutorStayReadable(SparkCluster cluster) {
    JavaRDD<Row> shuffled = ShuffledRows.of(cluster.session());
    assertEquals(ShuffledRows.COUNT, shuffled.count());
    String leaving = cluster.executors().getFirst().executorId();
    ExecutorAllocationClient client =
        (ExecutorAllocationClient) cluster.context().schedulerBackend();
    assertTrue(
        client.decommissionExecutor(
            leaving, new ExecutorDecommissionInfo("the test", Option.empty()), true, false));
    Await.until(
        "executor " + leaving + " is gone",
        () ->
            cluster.executors().stream()
                .map(ExecutorProcess::executorId)
                .noneMatch(leaving::equals));
    ShuffledRows.assertReadWithoutRecomputation(cluster, shuffled);
    cluster.discard();
  }
}
