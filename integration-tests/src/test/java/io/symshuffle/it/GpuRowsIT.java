// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.record.ExecutorGauges;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Rows of CPU operators through the memory of two real GPUs of one machine. */
@OnGpus
class GpuRowsIT {
  @Test
  void groupBysJoinsAndRepartitionsMatchSortShuffle(SparkCluster cluster, ResultComparer comparer) {
    RowQueries.compare(comparer, 60_000);
    RowQueries.assertOnGpus(cluster.gauges());
  }

  @Test
  void shufflesWideRows(SparkCluster cluster, ResultComparer comparer) {
    ExecutorGauges before = cluster.gauges();
    comparer.compare(session -> RowQueries.rows(session, 600, 100_000).repartition(5, col("k")));
    // Longer than a run on a GPU, so they go to the host heap.
    comparer.compare(session -> RowQueries.rows(session, 8, 12 << 20).repartition(2, col("k")));
    ExecutorGauges after = cluster.gauges();
    assertTrue(
        after.sum("written.device.bytes") > before.sum("written.device.bytes") + (50 << 20),
        after::toString);
    assertTrue(after.sum("written.host.bytes") > 90 << 20, after::toString);
  }

  @Test
  void shufflesIntoOneAnd3000Partitions(SparkCluster cluster, ResultComparer comparer) {
    for (int partitions : new int[] {1, 3_000}) {
      comparer.compare(
          session -> RowQueries.rows(session, 50_000, 100).repartition(partitions, col("k")));
      comparer.compare(
          session ->
              RowQueries.rows(session, 2_000_000, 30)
                  .repartition(partitions, col("id"))
                  .selectExpr("id % 7 g", "hash(id, k, text) h")
                  .groupBy("g")
                  .sum("h"));
    }
    RowQueries.assertOnGpus(cluster.gauges());
  }

  @Test
  void releasesAllMemory(SparkCluster cluster, ResultComparer comparer) {
    RowQueries.compare(comparer, 20_000);
    RowQueries.awaitEmptyHeaps(cluster);
  }

  @Test
  void canceledQueryReleasesAllMemory(SparkCluster cluster) {
    RowQueries.cancel(cluster, 20_000_000);
  }

  @Test
  @SparkTest(
      cores = 4,
      memoryMb = 3072,
      conf = {
        "spark.symshuffle.rows.tier=device",
        "spark.symshuffle.device.required=true",
        "spark.symshuffle.device.heap.size=256m",
        "spark.symshuffle.heap.size=512m"
      },
      deadlineSeconds = 240)
  void rowsThatDoNotFitGoToTheHostHeapAndToDisk(SparkCluster cluster, ResultComparer comparer) {
    comparer.compare(
        session ->
            session
                .range(0, 2_100_000, 1, 16)
                .selectExpr("id", "repeat(sha2(string(id), 512), 8) text")
                .repartition(64, col("id"))
                .selectExpr("count(1)", "sum(hash(id, text))"));
    ExecutorGauges gauges = cluster.gauges();
    RowQueries.assertOnGpus(gauges);
    assertTrue(gauges.sum("written.host.bytes") > 0, gauges::toString);
    assertTrue(gauges.sum("written.disk.bytes") > 0, gauges::toString);
    long written =
        gauges.sum("written.device.bytes")
            + gauges.sum("written.host.bytes")
            + gauges.sum("written.disk.bytes");
    assertTrue(written > 2L << 30, gauges::toString);
  }

  @Test
  void recoversFromAnExecutorKilledInTheMapStage(SparkCluster cluster, TestReporter reporter) {
    cluster.discard();
    assertMadeUpFor(Kills.inTheMapStage(cluster), reporter);
  }

  @Test
  void recoversFromAnExecutorKilledBetweenTheStages(SparkCluster cluster, TestReporter reporter) {
    cluster.discard();
    assertMadeUpFor(Kills.betweenTheStages(cluster), reporter);
  }

  @Test
  void recoversFromAnExecutorKilledInTheReduceStage(SparkCluster cluster, TestReporter reporter) {
    cluster.discard();
    assertMadeUpFor(Kills.inTheReduceStage(cluster), reporter);
  }

  private static void assertMadeUpFor(Kills.Outcome outcome, TestReporter reporter) {
    reporter.publishEntry("after the kill", outcome.toString());
    assertEquals(NumberedRows.EXPECTED, outcome.sums());
    assertTrue(outcome.untilEnd().toSeconds() < 30, outcome::toString);
  }

  @Test
  void newExecutorsStartDeviceHeapsAfterAllWereLost(SparkCluster cluster, ResultComparer comparer) {
    cluster.discard();
    RowQueries.compareAfterTheLossOfAll(cluster, comparer, 20_000);
  }

  @Test
  void continuesAfterTheLossOfAnExecutor(SparkCluster cluster, ResultComparer comparer) {
    RowQueries.compareAfterALoss(cluster, comparer, 20_000);
  }
}
