// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.failure.Kills;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.wait.Await;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tables through device heaps of CUDA memory, whose executors come and go. */
abstract class CudaHeapSuite extends DeviceTablesSuite {
  @Test
  void lostExecutorCausesNoRecomputationAndItsSuccessorHasADeviceHeap(SparkCluster cluster) {
    cluster.discard();
    for (int round = 0; round < losses(); round++) {
      NumberedTables tables = NumberedTables.of(cluster.context());
      assertEquals(NumberedRows.EXPECTED, tables.sums());
      String killed = cluster.executors().getFirst().executorId();
      cluster.kill(killed);
      awaitDeviceHeaps(cluster, killed);
      tables.assertReadWithoutRecomputation(cluster);
    }
    assertTablesGoThroughGpus(cluster);
    assertEquals(0, cluster.gauges().sum("read.transfer.bytes"), "read in place");
  }

  /** How many executors are lost, one after the other. */
  int losses() {
    return 3;
  }

  @Test
  @Tag("full")
  void rowsAreRightWhenAnExecutorIsKilledAtAnyMoment(SparkCluster cluster) {
    cluster.discard();
    assertEquals(NumberedRows.EXPECTED, killInTheMapStage(cluster).sums());
    cluster.awaitExecutors();
    Kills.Outcome between = killBetweenTheStages(cluster);
    assertEquals(NumberedRows.EXPECTED, between.sums());
    assertEquals(0, between.recomputedMaps(), between::toString);
    cluster.awaitExecutors();
    Kills.Outcome reduce = killInTheReduceStage(cluster);
    assertEquals(NumberedRows.EXPECTED, reduce.sums());
    assertEquals(0, reduce.recomputedMaps(), reduce::toString);
  }

  private static void awaitDeviceHeaps(SparkCluster cluster, String gone) {
    Await.until(
        "the successor has a device heap",
        () -> {
          ExecutorGauges gauges = cluster.gauges();
          return gauges.byExecutor().size() == 2
              && !gauges.byExecutor().containsKey(gone)
              && gauges.byExecutor().values().stream()
                  .allMatch(each -> each.get("device.heap.bytes") > 0);
        });
  }
}
