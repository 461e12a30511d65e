// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.wait.Await;
import java.time.Duration;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** Rows through device heaps of CUDA memory, whose executors come and go. */
abstract class CudaHeapSuite {
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
      JavaRDD<Row> shuffled = ShuffledRows.of(cluster.session());
      assertEquals(ShuffledRows.COUNT, shuffled.count());
      String killed = cluster.executors().getFirst().executorId();
      cluster.kill(killed);
      awaitDeviceHeaps(cluster, killed);
      ShuffledRows.assertReadWithoutRecomputation(cluster, shuffled);
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
}
