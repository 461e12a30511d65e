// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.wait.Await;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** Rows through device heaps of CUDA memory, whose executors come and go. */
abstract class CudaHeapSuite {
  static final int ROWS = 12_000;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void rowsMatchSortShuffleAndMemoryIsReleased(SparkCluster cluster, ResultComparer comparer) {
    RowQueries.compare(comparer, 1_000);
    RowQueries.assertOnGpus(cluster.gauges());
    RowQueries.awaitEmptyHeaps(cluster);
  }

  @Test
  void lostExecutorCausesNoRecomputationAndItsSuccessorHasADeviceHeap(
      SparkCluster cluster, ResultComparer comparer) {
    cluster.discard();
    for (int round = 0; round < losses(); round++) {
      JavaRDD<Row> shuffled = rows(cluster.session());
      assertEquals(ROWS, shuffled.count());
      String killed = cluster.executors().getFirst().executorId();
      cluster.kill(killed);
      awaitDeviceHeaps(cluster, killed);
      assertReadWithoutRecomputation(cluster, shuffled);
    }
    RowQueries.compare(comparer, 1_000);
    assertEquals(0, cluster.gauges().sum("read.transfer.bytes"), "read in place");
  }

  /** How many executors are lost, one after the other. */
  int losses() {
    return 3;
  }

  private static void awaitDeviceHeaps(SparkCluster cluster, String gone) {
    Await.until(
        "the successor has a device heap",
        LIMIT,
        () -> {
          ExecutorGauges gauges = cluster.gauges();
          return gauges.byExecutor().size() == 2
              && !gauges.byExecutor().containsKey(gone)
              && gauges.byExecutor().values().stream()
                  .allMatch(each -> each.get("device.heap.bytes") > 0);
        });
  }

  static JavaRDD<Row> rows(SparkSession session) {
    return session
        .range(0, ROWS, 1, 12)
        .selectExpr("id", "id % 101 k")
        .repartition(8, col("k"))
        .javaRDD();
  }

  static void assertReadWithoutRecomputation(SparkCluster cluster, JavaRDD<Row> shuffled) {
    Recording<List<Long>> recording =
        cluster.record(() -> shuffled.map(row -> row.<Long>getAs("id")).collect());
    assertEquals(
        LongStream.range(0, ROWS).boxed().toList(), recording.value().stream().sorted().toList());
    assertEquals(List.of(), recording.fetchFailures());
    assertEquals(0, recording.totals().recordsWritten());
    assertEquals(1, recording.stages().size());
  }
}
