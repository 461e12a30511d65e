// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.record.ExecutorGauges;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows of CPU operators through the device heaps of two executors, on fakes of the CUDA driver and
 * of NVSHMEM. They run the real kernels on the CPU, slowly, so there is little data.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DeviceRowsIT {
  private static final long ROWS = 1_000;

  @TempDir private static Path folder;
  private static SparkCluster cluster;

  @BeforeAll
  static void start() {
    FakeGpus.compile(folder);
    startCluster();
  }

  private static void startCluster() {
    cluster =
        SparkCluster.start(
            ClusterSpec.localCluster(2, 1)
                .with("spark.symshuffle.rows.tier", "device")
                .with("spark.symshuffle.device.required", "true")
                .with("spark.symshuffle.device.heap.size", "16m")
                .with("spark.symshuffle.device.nvshmem.home", folder.resolve("nvshmem").toString())
                .with("spark.executorEnv.LD_LIBRARY_PATH", folder.resolve("cuda").toString()),
            Path.of("target", "it-work", "DeviceRowsIT"));
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Order(1)
  void rowsGoThroughTheGpusAndMatchSortShuffle() {
    RowQueries.compare(ResultComparer.on(cluster), ROWS);
    RowQueries.assertOnGpus(cluster.gauges());
  }

  @Test
  @Order(2)
  void rowsThatDoNotFitGoToTheHostHeap() {
    ResultComparer comparer = ResultComparer.on(cluster);
    ExecutorGauges before = cluster.gauges();
    comparer.compare(session -> wide(session).repartition(3, col("id")));
    ExecutorGauges after = cluster.gauges();
    assertTrue(
        after.sum("written.device.bytes") > before.sum("written.device.bytes"), after::toString);
    assertTrue(after.sum("written.host.bytes") > before.sum("written.host.bytes"), after::toString);
  }

  private static Dataset<Row> wide(SparkSession session) {
    return RowQueries.rows(session, 60, 800_000);
  }

  @Test
  @Order(3)
  void releasesAllMemory() {
    RowQueries.awaitEmptyHeaps(cluster);
  }

  @Test
  @Tag("long")
  @Order(5)
  void canceledQueryReleasesAllMemory() {
    RowQueries.cancel(cluster, 200_000);
  }

  /** The time until the result is not checked, since fakes are slow. */
  @Test
  @Tag("long")
  @Order(7)
  void recoversFromAnExecutorKilledAtAnyMoment() {
    for (Function<SparkCluster, Kills.Outcome> moment :
        List.<Function<SparkCluster, Kills.Outcome>>of(
            Kills::inTheMapStage, Kills::betweenTheStages, Kills::inTheReduceStage)) {
      stop();
      startCluster();
      assertEquals(NumberedRows.EXPECTED, moment.apply(cluster).sums());
    }
  }

  @Test
  @Order(4)
  void newExecutorsStartDeviceHeapsAfterAllWereLost() {
    RowQueries.compareAfterTheLossOfAll(cluster, ResultComparer.on(cluster), ROWS);
    RowQueries.awaitEmptyHeaps(cluster);
  }

  @Test
  @Tag("long")
  @Order(6)
  void continuesAfterTheLossOfAnExecutor() {
    RowQueries.compareAfterALoss(cluster, ResultComparer.on(cluster), ROWS);
  }
}
