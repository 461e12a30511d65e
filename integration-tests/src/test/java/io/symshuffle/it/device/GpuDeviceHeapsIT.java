// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.wait.Await;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Device heaps of executors on two real GPUs of one machine. Needs NVSHMEM, for example in {@code
 * NVSHMEM_HOME}.
 */
@Tag("gpu")
@SparkTest(
    conf = {"spark.symshuffle.device.required=true", "spark.symshuffle.device.heap.size=0.05"},
    deadlineSeconds = 240)
class GpuDeviceHeapsIT {
  private static final String QUERY =
      "SELECT id % 100 k, count(*), sum(id) FROM range(0, 20000, 1, 6) GROUP BY 1";

  @Test
  void executorsOfALocalClusterShareADeviceEpoch(SparkCluster cluster, ResultComparer comparer) {
    assertActive(cluster.gauges());
    comparer.compare(QUERY);
  }

  @Test
  @SparkTest(
      cluster = ClusterKind.STANDALONE,
      conf = {
        "spark.symshuffle.device.required=true",
        "spark.symshuffle.device.heap.size=0.05",
        "spark.symshuffle.device.pes=2"
      },
      deadlineSeconds = 240)
  void executorsOfStandaloneWorkersShareADeviceEpoch(
      SparkCluster cluster, ResultComparer comparer) {
    assertActive(cluster.gauges());
    comparer.compare(QUERY);
  }

  @Test
  void successorOfAKilledExecutorUsesTheHostHeap(SparkCluster cluster, ResultComparer comparer) {
    cluster.discard();
    assertActive(cluster.gauges());
    String killed = cluster.executors().getFirst().executorId();
    cluster.kill(killed);
    comparer.compare(QUERY);
    Await.until(
        "a successor uses the host heap",
        Duration.ofSeconds(60),
        () -> {
          Map<String, Map<String, Long>> now = cluster.gauges().byExecutor();
          return !now.containsKey(killed)
              && now.values().stream().anyMatch(each -> each.get("device.pes") == 0)
              && now.values().stream().anyMatch(each -> each.get("device.pes") == 2);
        });
    comparer.compare(QUERY);
  }

  private static void assertActive(ExecutorGauges gauges) {
    assertEquals(2, gauges.byExecutor().size(), gauges::toString);
    assertEquals(4, gauges.sum("device.pes"), "2 PEs as each of the 2 sees them");
    assertTrue(gauges.sum("device.heap.bytes") > 0, gauges::toString);
  }
}
