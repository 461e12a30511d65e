// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static io.symshuffle.it.NumberedRows.EXPECTED;
import static io.symshuffle.it.NumberedRows.NUMBER;
import static io.symshuffle.it.NumberedRows.rows;
import static io.symshuffle.it.NumberedRows.sums;
import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.NumberedRows.Sums;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.wait.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Executors die, tasks fail or are killed, blocks rot: the rows are right or the job says why. */
@SparkTest(
    conf = {
      "spark.symshuffle.heap.size=64m",
      "spark.symshuffle.heap.retained=0",
      "spark.sql.execution.sortBeforeRepartition=false"
    })
class FailuresIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @BeforeEach
  void registerFunctions(SparkSession session) {
    NumberedRows.registerSlow(session);
    session
        .udf()
        .register("fails_once", (UDF1<Long, Long>) FailuresIT::failOnce, DataTypes.LongType);
  }

  @Test
  void anExecutorThatDiesBetweenMapAndReduceIsMadeUpFor(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(NUMBER, shuffled.count());
    cluster.kill(cluster.executors().getFirst().executorId());
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertNothingComputedAgain(recording);
  }

  @Test
  @SparkTest(conf = {"spark.symshuffle.heap.size=1m", "spark.symshuffle.staging.size=64k"})
  void whatADeadExecutorSpilledIsStillRead(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id", 300).repartition(8, col("k")).javaRDD();
    assertEquals(NUMBER, shuffled.count());
    assertTrue(cluster.gauges().sum("written.disk.bytes") > 4L << 20);
    cluster.kill(cluster.executors().getFirst().executorId());
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertNothingComputedAgain(recording);
  }

  @Test
  void allExecutorsMayDieBetweenMapAndReduce(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(NUMBER, shuffled.count());
    cluster.executors().forEach(executor -> cluster.kill(executor.executorId()));
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertNothingComputedAgain(recording);
  }

  @Test
  void mapOutputsOfTheSortShuffleGoWithTheirExecutor(SparkCluster cluster) {
    cluster.session().conf().set("spark.symshuffle.enabled", "false");
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(NUMBER, shuffled.count());
    cluster.kill(cluster.executors().getFirst().executorId());
    cluster.awaitExecutors(LIMIT);
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertEquals(List.of(), recording.fetchFailures());
    assertTrue(recording.totals().recordsWritten() > 0);
  }

  /** The map stage was not even looked at, and no task met a block that was gone. */
  private static void assertNothingComputedAgain(Recording<Sums> recording) {
    assertEquals(List.of(), recording.fetchFailures());
    assertEquals(0, recording.totals().recordsWritten());
    assertEquals(1, recording.stages().size());
  }

  @Test
  void anExecutorThatDiesDuringTheMapStageIsMadeUpFor(SparkCluster cluster) {
    Kills.Outcome outcome = Kills.inTheMapStage(cluster);
    assertEquals(EXPECTED, outcome.sums());
    assertEquals(0, outcome.computedAgain());
  }

  @Test
  void anExecutorThatDiesDuringTheReduceStageIsMadeUpFor(SparkCluster cluster) {
    Kills.Outcome outcome = Kills.inTheReduceStage(cluster);
    assertEquals(EXPECTED, outcome.sums());
    assertEquals(0, outcome.computedAgain());
  }

  @Test
  void anIndeterminateStageIsRepeatedAsAWhole(SparkCluster cluster) {
    // Round robin over rows that come in any order: a repeated map task deals them otherwise.
    JavaRDD<Row> shuffled =
        rows(cluster.session(), "id")
            .repartition(6)
            .repartition(9)
            .selectExpr("slow(id) AS id")
            .javaRDD();
    assertEquals(EXPECTED, Kills.during(cluster, 4, () -> sums(shuffled), 0).sums());
  }

  @Test
  void aFailedTaskIsRepeated(SparkCluster cluster) {
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
  void aBlockThatRottedInTheHeapIsWrittenAgain(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(EXPECTED, sums(shuffled));
    assertTrue(HeapCorruption.overwrite(cluster.mappedHeapFiles(), "row number 4321 ") >= 1);
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertFalse(recording.fetchFailures().isEmpty());
  }

  @Test
  @SparkTest(conf = {"spark.symshuffle.heap.size=1m", "spark.symshuffle.staging.size=64k"})
  void aBlockThatRottedOnDiskIsWrittenAgain(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id", 300).repartition(8, col("k")).javaRDD();
    assertEquals(EXPECTED, sums(shuffled));
    int found = 0;
    for (int number = 0; number < NUMBER && found == 0; number += 100) {
      found = HeapCorruption.overwrite(diskFiles(cluster), "row number %d ".formatted(number));
    }
    assertTrue(found >= 1, "none of the rows lies in " + diskFiles(cluster));
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    assertEquals(EXPECTED, recording.value());
    assertFalse(recording.fetchFailures().isEmpty());
  }

  @Test
  void cancelledJobsGiveTheirMemoryBack(SparkCluster cluster) {
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
      job.awaitTasks(2, LIMIT);
      job.cancel();
    }
    GivenBack.assertEverything(cluster);
  }

  @Test
  void unregisteredShufflesGiveTheirMemoryBack(SparkCluster cluster) {
    for (int round = 0; round < 3; round++) {
      assertEquals(
          NUMBER, rows(cluster.session(), "id", 1000).repartition(8, col("k")).distinct().count());
    }
    assertTrue(cluster.gauges().sum("heap.used.bytes") > 0);
    GivenBack.assertEverything(cluster);
  }

  @Test
  void memoryOfAnExecutorThatSparkHasTakenForLostIsGivenBack(SparkCluster cluster) {
    JavaRDD<Row> shuffled = rows(cluster.session(), "id").repartition(8, col("k")).javaRDD();
    assertEquals(EXPECTED, sums(shuffled));
    assertTrue(HeapCorruption.overwrite(cluster.mappedHeapFiles(), "row number 4321 ") >= 1);
    assertEquals(EXPECTED, sums(shuffled));
    // After a failed fetch Spark knows no block manager of that executor until its next heartbeat,
    // 10 s later, and tells it nothing.
    shuffled.context().cleaner().get().doCleanupShuffle(GivenBack.shuffleId(shuffled), true);
    Await.until("the heaps are empty", LIMIT, () -> cluster.gauges().sum("heap.used.bytes") == 0);
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
