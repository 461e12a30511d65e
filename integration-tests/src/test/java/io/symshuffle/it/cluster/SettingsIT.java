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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A driver with invalid settings does not start, and its message says what is valid. */
class SettingsIT {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "heap.size | -1g | auto or a byte size from 1m to 16t, written like 64k, 1m or 2g (default:"
            + " auto)",
        "heap.size | 17t | auto or a byte size from 1m to 16t, written like 64k, 1m or 2g (default:"
            + " auto)",
        "staging.size | 63k | a byte size from 64k to 1g, written like 64k, 1m or 2g (default: 1m)",
        "heap.dir | shm | the absolute path of a folder (default: /dev/shm)",
        "checksum.enabled | maybe | true or false (default: true)",
        "join.timeout | 30 | a duration from 100ms to 10min, written with its unit like 500ms, 30s"
            + " or 2min (default: 30s)",
      })
  void invalidValuesAreRefused(String key, String value, String allowed) {
    assertRefused(
        "SymShuffle cannot start: spark.symshuffle.%s is '%s', but must be %s."
            .formatted(key, value, allowed),
        "spark.symshuffle." + key,
        value);
  }

  @Test
  @Tag("full")
  void unknownKeysAreRefused() {
    assertRefused(
        "SymShuffle cannot start: spark.symshuffle.heap.sise (set to '1g') is not a setting of"
            + " SymShuffle. Did you mean spark.symshuffle.heap.size?",
        "spark.symshuffle.heap.sise",
        "1g");
  }

  @Test
  @Tag("full")
  void anotherShuffleManagerIsRefusedIfRequired() {
    assertRequires(
        "SymShuffle cannot start: spark.shuffle.manager is 'tungsten-sort', but SymShuffle sets the"
            + " shuffle manager itself: remove spark.shuffle.manager, or remove"
            + " io.symshuffle.SymShufflePlugin from spark.plugins.",
        "spark.shuffle.manager",
        "tungsten-sort");
  }

  @Test
  @Tag("full")
  void theExternalShuffleServiceIsRefusedIfRequired() {
    assertRequires(
        "SymShuffle cannot start: spark.shuffle.service.enabled is 'true', but the external shuffle"
            + " service cannot serve map outputs in a symmetric heap: set it to false, or"
            + " remove io.symshuffle.SymShufflePlugin from spark.plugins.",
        "spark.shuffle.service.enabled",
        "true");
  }

  @Test
  @Tag("full")
  void failedStartLeavesNoFiles() throws IOException {
    assertRefused(null, "spark.symshuffle.heap.size", "0");
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

  private void assertRequires(String message, String key, String value) {
    assertRefused(
        message, ClusterSpec.local(1).with(key, value).with("spark.symshuffle.required", "true"));
  }

  private void assertRefused(String message, String key, String value) {
    assertRefused(message, ClusterSpec.local(1).with(key, value));
  }

  private void assertRefused(String message, ClusterSpec spec) {
    Exception refusal =
        assertThrows(
            IllegalArgumentException.class,
            () -> SparkCluster.start(spec, folder.resolve("app")).close());
    if (message != null) {
      assertEquals(message, refusal.getMessage());
    }
  }
}
