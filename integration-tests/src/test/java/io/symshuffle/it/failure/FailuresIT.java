// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static io.symshuffle.it.failure.NumberedRows.EXPECTED;
import static io.symshuffle.it.failure.NumberedRows.NUMBER;
import static io.symshuffle.it.failure.NumberedRows.rows;
import static io.symshuffle.it.failure.NumberedRows.sums;
import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.symshuffle.it.Folders;
import io.symshuffle.it.LeakCheck;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.NumberedRows.Sums;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.wait.Await;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Executors die, tasks fail or are killed, blocks are damaged: rows are right, or the job fails.
 */
@SparkTest(
    conf = {
      "spark.symshuffle.heap.size=64m",
      "spark.symshuffle.heap.retained=0",
      "spark.executor.heartbeatInterval=1s",
      "spark.sql.execution.sortBeforeRepartition=false"
    })
class FailuresIT {
  /** The first bytes of a packet. */
  private static final String PACKET = "SYC2";

  @BeforeEach
  void registerFunctions(SparkSession session) {
    NumberedRows.registerSlow(session);
    session
        .udf()
        .register("fails_once", (UDF1<Long, Long>) FailuresIT::failOnce, DataTypes.LongType);
  }

  @Test
  void executorLostBetweenMapAndReduceCausesNoRecomputation(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(NUMBER, shuffled.count());
    cluster.kill(cluster.executors().getFirst().executorId());
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertNoRecomputation(recording);
  }

  @Test
  @SparkTest(conf = {"spark.symshuffle.heap.size=1m", "spark.symshuffle.staging.size=64k"})
  @Tag("full")
  void diskRunsOfALostExecutorCauseNoRecomputation(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id", 300).repartition(8, col("k")).javaRDD();
    assertEquals(NUMBER, shuffled.count());
    assertTrue(cluster.gauges().sum("written.disk.bytes") > 4L << 20);
    cluster.kill(cluster.executors().getFirst().executorId());
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertNoRecomputation(recording);
  }

  @Test
  @Tag("full")
  void allExecutorsLostBetweenMapAndReduceCauseNoRecomputation(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(NUMBER, shuffled.count());
    cluster.executors().forEach(executor -> cluster.kill(executor.executorId()));
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertNoRecomputation(recording);
  }

  /** So the tests above would notice a recomputation. */
  @Test
  @Tag("long")
  void mapOutputsOfSortShuffleAreLostWithTheirExecutor(SparkCluster cluster) {
    cluster.session().conf().set("spark.symshuffle.enabled", "false");
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(NUMBER, shuffled.count());
    cluster.kill(cluster.executors().getFirst().executorId());
    cluster.awaitExecutors();
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertEquals(List.of(), recording.fetchFailures());
    assertTrue(recording.totals().recordsWritten() > 0);
  }

  /** The map stage was not started again, and no task missed a block. */
  private static void assertNoRecomputation(Recording<Sums> recording) {
    assertEquals(List.of(), recording.fetchFailures());
    assertEquals(0, recording.totals().recordsWritten());
    assertEquals(1, recording.stages().size());
  }

  @Test
  @Tag("full")
  void executorLostDuringTheMapStageGivesRightRows(SparkCluster cluster) {
    Kills.Outcome outcome = Kills.inTheMapStage(cluster);
    assertEquals(EXPECTED, outcome.sums());
    assertEquals(0, outcome.recomputedMaps());
  }

  @Test
  void executorLostDuringTheReduceStageGivesRightRows(SparkCluster cluster) {
    Kills.Outcome outcome = Kills.inTheReduceStage(cluster);
    assertEquals(EXPECTED, outcome.sums());
    assertEquals(0, outcome.recomputedMaps());
  }

  @Test
  void indeterminateStageIsRepeatedAsAWhole(SparkCluster cluster) {
    // Round robin over rows in no fixed order: a repeated map task distributes them differently.
    JavaRDD<Row> shuffled =
        rows(cluster.session(), "id")
            .repartition(6)
            .repartition(9)
            .selectExpr("slow(id) AS id")
            .javaRDD();
    assertEquals(EXPECTED, Kills.during(cluster, 4, () -> sums(shuffled), 0).sums());
  }

  @Test
  void failedTaskIsRetried(SparkCluster cluster) {
    Recording<Sums> recording =
        cluster.record(
            () ->
                sums(
                    rows(cluster.session(), "fails_once(id) AS id")
                        .repartition(8, col("k"))
                        .javaRDD()));
    assertEquals(EXPECTED, recording.value());
    assertFalse(recording.failures().isEmpty());
  }

  @Test
  void damagedBlockInTheHeapIsRecomputed(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(EXPECTED, sums(shuffled));
    assertTrue(HeapCorruption.overwrite(cluster.mappedHeapFiles(), "row number 4321 ") >= 1);
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertFalse(recording.fetchFailures().isEmpty());
  }

  @Test
  @SparkTest(conf = {"spark.symshuffle.heap.size=1m", "spark.symshuffle.staging.size=64k"})
  @Tag("full")
  void damagedBlockOnDiskIsRecomputed(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id", 300).repartition(8, col("k")).javaRDD();
    assertEquals(EXPECTED, sums(shuffled));
    Path newest =
        diskFiles(cluster).stream()
            .filter(file -> file.toString().endsWith(".runs"))
            .max(Comparator.comparingLong(file -> file.toFile().lastModified()))
            .orElseThrow();
    assertTrue(HeapCorruption.overwrite(List.of(newest), PACKET) >= 1, "no packet is in " + newest);
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertFalse(recording.fetchFailures().isEmpty());
  }

  @Test
  @Tag("full")
  void canceledJobsReleaseTheirMemory(SparkCluster cluster) {
    SparkContext context = cluster.context();
    for (int round = 0; round < 3; round++) {
      StartedAction<Sums> job =
          StartedAction.start(
              context,
              () ->
                  sums(
                      rows(cluster.session(), "slow(id) AS id")
                          .repartition(8, col("k"))
                          .javaRDD()));
      job.awaitTasks(2);
      job.cancel();
    }
    ReleasedMemory.await(cluster);
  }

  @Test
  void unregisteredShufflesReleaseTheirMemory(SparkCluster cluster) {
    for (int round = 0; round < 3; round++) {
      assertEquals(
          NUMBER, rows(cluster.session(), "id", 1000).repartition(8, col("k")).distinct().count());
    }
    assertTrue(cluster.gauges().sum("heap.used.bytes") > 0);
    ReleasedMemory.await(cluster);
  }

  @Test
  @Tag("full")
  void queryReleasesItsMemoryAtItsEndIfSparkCleansUp(SparkCluster cluster) {
    assumeFalse(cluster.context().version().startsWith("4.0."), "Spark 4.0 cannot do this");
    ReleasedMemory.await(cluster);
    assertTrue(isReleasedAfterQuery(cluster, true, Await.LIMIT));
    assertFalse(isReleasedAfterQuery(cluster, false, Duration.ofSeconds(2)));
  }

  /** Returns whether the heaps become empty although the query is still reachable. */
  private static boolean isReleasedAfterQuery(
      SparkCluster cluster, boolean cleanup, Duration limit) {
    SparkSession session = cluster.session();
    session.conf().set("spark.sql.classic.shuffleDependency.fileCleanup.enabled", cleanup);
    Dataset<Row> query = rows(session, "id").repartition(8, col("k"));
    try {
      assertEquals(NUMBER, query.collectAsList().size());
      System.gc();
      return Await.holdsWithin(limit, () -> cluster.gauges().sum("heap.used.bytes") == 0);
    } finally {
      Reference.reachabilityFence(query);
    }
  }

  @Test
  @Tag("full")
  void executorThatSparkConsidersLostReleasesItsMemory(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(EXPECTED, sums(shuffled));
    assertTrue(HeapCorruption.overwrite(cluster.mappedHeapFiles(), "row number 4321 ") >= 1);
    assertEquals(EXPECTED, sums(shuffled));
    // After a failed fetch, Spark considers the executor lost until its next heartbeat and sends it
    // nothing.
    shuffled.context().cleaner().get().doCleanupShuffle(ReleasedMemory.shuffleId(shuffled), true);
    Await.until("the heaps are empty", () -> cluster.gauges().sum("heap.used.bytes") == 0);
  }

  private static List<Path> diskFiles(SparkCluster cluster) {
    return Folders.under(cluster.localFolder())
        .filter(path -> path.toString().contains("/" + LeakCheck.OURS))
        .filter(Files::isRegularFile)
        .toList();
  }

  private static long failOnce(long id) {
    TaskContext task = TaskContext.get();
    if (id % 1000 == 700 && task.partitionId() % 3 == 1 && task.attemptNumber() == 0) {
      throw new IllegalStateException("the first attempt fails on purpose");
    }
    return id;
  }
}
