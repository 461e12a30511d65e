// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.record.ExecutorGauges;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks of suites whose rows all go through GPU memory. */
interface RowsOnGpus {
  @Test
  default void bothExecutorsWriteToTheirGpuAndPullFromTheOther(
      SparkCluster cluster, ResultComparer comparer) {
    RowQueries.compare(comparer, 1_000);
    RowQueries.assertOnGpus(cluster.gauges());
  }

  @AfterEach
  default void nothingWentThroughTheHostHeap(SparkCluster cluster) {
    ExecutorGauges gauges = cluster.gauges();
    assertEquals(0, gauges.sum("written.host.bytes"), gauges::toString);
    assertEquals(0, gauges.sum("written.disk.bytes"), gauges::toString);
  }
}
