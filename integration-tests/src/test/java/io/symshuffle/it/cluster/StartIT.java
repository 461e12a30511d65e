// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The state of an application after a start with valid settings. */
class StartIT {
  @Test
  @SparkTest(
      cluster = ClusterKind.LOCAL,
      conf = {"spark.symshuffle.enabled=false", "spark.symshuffle.heap.size=nonsense"})
  @Tag("full")
  void pluginDoesNothingWhenDisabledAtStart(SparkCluster cluster, SparkSession session) {
    assertEquals(100, session.range(0, 100, 1, 2).repartition(3).distinct().count());
    assertEquals(
        "org.apache.spark.shuffle.sort.SortShuffleManager",
        SparkEnv.get().shuffleManager().getClass().getName());
    assertTrue(cluster.mappedHeapFiles().isEmpty());
  }

  @Test
  @SparkTest(cluster = ClusterKind.LOCAL)
  @Tag("full")
  void pluginSetsTheShuffleManager() {
    assertEquals(
        "io.symshuffle.shuffle.SymShuffleManager",
        SparkEnv.get().shuffleManager().getClass().getName());
  }

  @Test
  @SparkTest(cluster = ClusterKind.LOCAL, conf = "spark.symshuffle.heap.dir=/proc/self/status")
  void unusableHeapFolderFallsBackToDisk(SparkCluster cluster, ResultComparer comparer) {
    comparer.compare(s -> s.range(0, 1000, 1, 3).toDF().repartition(5));
    assertTrue(
        cluster
            .driverLog()
            .contains("/proc/self/status is not a folder: set spark.symshuffle.heap.dir to one"));
    assertTrue(
        cluster.mappedHeapFiles().stream()
            .allMatch(path -> path.startsWith(cluster.localFolder().toAbsolutePath())),
        cluster.mappedHeapFiles().toString());
  }
}
