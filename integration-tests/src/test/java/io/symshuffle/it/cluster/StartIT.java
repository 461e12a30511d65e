// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.wait.Await;
import java.util.List;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The state of an application after a start with valid settings. */
class StartIT {
  @Test
  @SparkTest(cluster = ClusterKind.LOCAL, conf = "spark.symshuffle.heap.dir=/proc/self/status")
  void unusableHeapFolderFallsBackToDisk(SparkCluster cluster, ResultComparer comparer) {
    comparer.compare(s -> s.range(0, 1000, 1, 3).toDF().repartition(5));
    assertTrue(
        cluster
            .driverLog()
            .contains("/proc/self/status is not a folder: set spark.symshuffle.heap.dir to one"));
    assertTrue(
        cluster.mappedHeapFiles().stream()
            .allMatch(path -> path.startsWith(cluster.localFolder().toAbsolutePath())),
        cluster.mappedHeapFiles().toString());
  }

  /** The seed lets the start of executor 2 fail, which replaces the one that is killed. */
  @Test
  @SparkTest(
      conf = {
        "spark.symshuffle.heap.size=64m",
        "spark.symshuffle.test.faults=seed=2,start.fail=0.22"
      })
  @Tag("full")
  void executorWhoseStartFailedGetsNoTasks(SparkCluster cluster) {
    cluster.kill("0");
    Await.until(
        "executor 2 gets no tasks",
        () ->
            cluster
                .driverLog()
                .contains("Executor 2 gets no tasks: SymShuffle cannot start on executor 2: "));
    ExecutorAllocationClient client =
        (ExecutorAllocationClient) cluster.context().schedulerBackend();
    Await.until("executor 2 is excluded", () -> !client.isExecutorActive("2"));
    JavaRDD<Row> shuffled = ShuffledRows.of(cluster.session());
    Recording<Long> recording = cluster.record(shuffled::count);
    assertEquals(ShuffledRows.COUNT, recording.value());
    assertEquals(List.of(), recording.failures());
    assertFalse(recording.tasks().stream().anyMatch(task -> task.executorId().equals("2")));
    assertTrue(
        cluster.executors().stream().anyMatch(each -> each.executorId().equals("2")),
        "nothing replaces executor 2, so it lives");
  }
}
