// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.SymShufflePlugin;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several applications run in the same process, one after the other. */
class NextApplicationIT {
  @TempDir Path folder;

  @Test
  void countsOnlyItsOwnShuffles() {
    for (int application = 0; application < 2; application++) {
      try (JavaSparkContext context = start()) {
        assertEquals(Map.of(), ShuffleRuntime.driverStats().delegatedByReason());

        assertEquals(3, context.parallelize(List.of(1, 2, 3)).repartition(2).count());

        assertEquals(1, ShuffleRuntime.driverStats().delegatedByReason().size());
      }
      assertEquals(Optional.empty(), ShuffleRuntime.current());
    }
  }

  private JavaSparkContext start() {
    return new JavaSparkContext(
        new SparkConf(false)
            .setMaster("local[1]")
            .setAppName("next application")
            .set("spark.plugins", SymShufflePlugin.class.getName())
            .set("spark.symshuffle.heap.dir", folder.toString())
            .set("spark.symshuffle.heap.size", "64m")
            .set("spark.ui.enabled", "false"));
  }
}
