// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.wait.Await;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaRDD;

/** Spark adds and removes executors with device heaps of CUDA memory under load. */
final class ScalingWaves {
  /** Settings: Spark removes executors that are idle, and starts others under load. */
  static final String SETTINGS =
      """
      spark.dynamicAllocation.enabled=true
      spark.dynamicAllocation.shuffleTracking.enabled=false
      spark.dynamicAllocation.initialExecutors=2
      spark.dynamicAllocation.minExecutors=1
      spark.dynamicAllocation.maxExecutors=2
      spark.dynamicAllocation.executorIdleTimeout=4s
      spark.dynamicAllocation.schedulerBacklogTimeout=1s\
      """;

  private static final int WAVES = 3;

  private ScalingWaves() {}

  /** Checks that shuffles of earlier waves are read by executors of later ones. */
  static void check(SparkCluster cluster) {
    cluster.discard();
    NumberedTables first = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, first.sums());
    Set<String> seen = new HashSet<>(ids(cluster));
    for (int wave = 0; wave < WAVES; wave++) {
      Await.until("one executor is left", () -> ids(cluster).size() == 1);
      NumberedTables next = NumberedTables.of(cluster.context());
      Recording<Long> load = cluster.record(() -> slowly(next.read()).count());
      assertEquals(NumberedTables.NUMBER, load.value());
      assertEquals(List.of(), load.fetchFailures());
      seen.addAll(ids(cluster));
      first.assertReadWithoutRecomputation(cluster);
      next.assertReadWithoutRecomputation(cluster);
    }
    assertTrue(seen.size() >= 2 + WAVES, "executors " + seen);
  }

  static Set<String> ids(SparkCluster cluster) {
    return cluster.executors().stream()
        .map(ExecutorProcess::executorId)
        .collect(Collectors.toSet());
  }

  /** Tasks that last long enough for Spark to ask for another executor. */
  private static JavaRDD<Long> slowly(JavaRDD<Long> rows) {
    return rows.mapPartitions(
        each -> {
          Thread.sleep(1_000);
          return each;
        });
  }
}
