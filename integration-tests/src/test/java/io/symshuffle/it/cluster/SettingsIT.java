// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.Folders;
import io.symshuffle.it.SparkCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applications with settings that SymShuffle refuses. */
class SettingsIT {
  @TempDir private Path folder;

  @Test
  @Tag("full")
  void failedStartLeavesNoFiles() throws IOException {
    ClusterSpec wrong = ClusterSpec.local(1).with("spark.symshuffle.heap.size", "0");
    assertThrows(
        IllegalArgumentException.class,
        () -> SparkCluster.start(wrong, folder.resolve("app")).close());
    assertEquals(
        List.of(),
        Folders.under(folder.resolve("app/local")).filter(Files::isRegularFile).toList());
    try (SparkCluster cluster = SparkCluster.start(ClusterSpec.local(1), folder.resolve("next"))) {
      assertEquals(10, cluster.session().range(10).repartition(3).count());
    }
  }

  @Test
  @Tag("full")
  void anotherManagerServesTheApplication() throws IOException {
    String manager = OtherManager.class.getName();
    try (SparkCluster cluster =
        SparkCluster.start(
            ClusterSpec.local(1).with("spark.shuffle.manager", manager), folder.resolve("app"))) {
      assertEquals(10, cluster.session().range(10).repartition(3).count());
      assertInstanceOf(OtherManager.class, SparkEnv.get().shuffleManager());
      assertTrue(
          cluster
              .driverLog()
              .contains(
                  "spark.shuffle.manager is '%s', but SymShuffle sets the shuffle manager itself: remove spark.shuffle.manager, or remove io.symshuffle.SymShufflePlugin from spark.plugins. SymShuffle is disabled for this application."
                      .formatted(manager)));
      assertEquals(List.of(), List.copyOf(cluster.mappedHeapFiles()));
    }
  }

  /** Stands for the manager of another product. */
  public static final class OtherManager extends SortShuffleManager {
    /** Called by Spark. */
    public OtherManager(SparkConf conf) {
      super(conf);
    }
  }
}
