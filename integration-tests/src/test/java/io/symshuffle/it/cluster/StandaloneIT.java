// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.PluginJar;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.ReleasedMemory;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.record.TaskRecord;
import io.symshuffle.it.wait.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.TaskCompletionListener;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A standalone master with workers, and the driver in this JVM. Each worker has its own address, so
 * Spark treats them as different hosts, although they are on the same one.
 */
@SparkTest(
    cluster = ClusterKind.STANDALONE,
    plugin = PluginJar.JARS,
    conf = {
      "spark.speculation=true",
      "spark.speculation.minTaskRuntime=2s",
      "spark.speculation.quantile=0.5"
    })
class StandaloneIT {
  /** How long an attempt hangs at most: longer than Spark needs to start and run a second one. */
  @TempDir private Path folder;

  @Test
  void executorsOfDifferentWorkersReadEachOthersHeaps(
      SparkCluster cluster, ResultComparer comparer) {
    comparer.compare("SELECT id % 100 k, count(*), sum(id) FROM range(0, 20000, 1, 6) GROUP BY 1");
    comparer.compare(
        "SELECT /*+ MERGE(b) */ * FROM range(0, 3000, 1, 3) a JOIN range(1000, 4000, 1, 2) b"
            + " ON a.id = b.id");
    assertEquals(2, cluster.executors().size());
    assertEquals(2, cluster.mappedHeapFiles().size(), cluster.mappedHeapFiles()::toString);
    assertEquals(0, cluster.gauges().sum("read.transfer.bytes"));
    assertTrue(cluster.gauges().sum("read.host.bytes") > 0);
  }

  @Test
  @Tag("full")
  void fasterOfTwoAttemptsCounts(SparkCluster cluster, SparkSession session) {
    // Spark starts a second attempt only on another host.
    session
        .udf()
        .register("hangs_once", (UDF1<Long, Long>) StandaloneIT::hangOnce, DataTypes.LongType);
    Recording<List<Row>> recording =
        cluster.record(
            () ->
                session
                    .range(0, 12_000, 1, 12)
                    .selectExpr("hangs_once(id) AS id")
                    .repartition(8)
                    .collectAsList());
    assertEquals(
        LongStream.range(0, 12_000).boxed().toList(),
        recording.value().stream().map(row -> row.getLong(0)).sorted().toList());
    assertTrue(recording.tasks().stream().anyMatch(TaskRecord::speculative));
  }

  @Test
  @Tag("full")
  void bothAttemptsOfATaskMayCommit(SparkCluster cluster, SparkSession session) {
    String ended = folder.resolve("ended").toString();
    session
        .udf()
        .register(
            "outlives", (UDF1<Long, Long>) id -> outlive(id, Path.of(ended)), DataTypes.LongType);
    long before = cluster.gauges().sum("written.map.outputs");
    Recording<List<Row>> recording =
        cluster.record(
            () ->
                session
                    .range(0, 12_000, 1, 12)
                    .selectExpr("outlives(id) AS id")
                    .repartition(8, col("id"))
                    .collectAsList());
    assertEquals(
        LongStream.range(0, 12_000).boxed().toList(),
        recording.value().stream().map(row -> row.getLong(0)).sorted().toList());
    assertTrue(recording.tasks().stream().anyMatch(TaskRecord::speculative));
    Await.until(
        "13 map outputs of 12 tasks, or more if others were slow, too",
        () -> cluster.gauges().sum("written.map.outputs") >= before + 13);
    ReleasedMemory.await(cluster);
  }

  /**
   * At the last row of a task, its first attempt waits for the end of the second one and ignores
   * interrupts.
   */
  private static long outlive(long id, Path ended) {
    TaskContext task = TaskContext.get();
    if (id == 5999 && task.attemptNumber() > 0) {
      task.addTaskCompletionListener((TaskCompletionListener) end -> ended.toFile().mkdir());
    } else if (id == 5999) {
      long deadline = System.nanoTime() + Await.LIMIT.toNanos();
      while (!Files.exists(ended) && System.nanoTime() < deadline) {
        LockSupport.parkNanos(10_000_000);
        Thread.interrupted();
      }
    }
    return id;
  }

  private static long hangOnce(long id) throws InterruptedException {
    if (id == 5700 && TaskContext.get().attemptNumber() == 0) {
      Thread.sleep(Await.LIMIT);
    }
    return id;
  }
}
