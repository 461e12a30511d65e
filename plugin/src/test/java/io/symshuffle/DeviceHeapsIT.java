// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.spark.SparkContext$;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applications whose device heaps are required but cannot start. */
@Tag("full")
class DeviceHeapsIT {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @TempDir private Path heaps;
  private SparkSession session;

  @AfterEach
  void stopSpark() {
    if (session != null) {
      session.stop();
    }
  }

  @Test
  @Tag("long")
  void stopsTheApplicationWithoutARequiredDeviceHeap() {
    assumeTrue(CudaDriver.system().isWithoutGpu(), "this machine has a GPU");
    session =
        application()
            .master("local-cluster[2,1,1024]")
            .config("spark.executorEnv.JAVA_HOME", System.getProperty("java.home"))
            .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
            .config("spark.symshuffle.device.required", "true")
            .getOrCreate();
    await()
        .atMost(LIMIT)
        .until(
            () ->
                session.sparkContext().isStopped() && SparkContext$.MODULE$.getActive().isEmpty());
  }

  @Test
  void failsTheStartInLocalModeWithoutARequiredDeviceHeap() {
    assumeTrue(CudaDriver.system().isWithoutGpu(), "this machine has a GPU");
    RuntimeException failure =
        assertThrows(
            RuntimeException.class,
            () ->
                application()
                    .master("local[2]")
                    .config("spark.symshuffle.device.required", "true")
                    .getOrCreate());
    assertTrue(
        failure
            .getMessage()
            .startsWith(
                "spark.symshuffle.device.required is true, but not all executors have device heaps:"
                    + " executor driver has none: "),
        failure.getMessage());
    assertEquals(Optional.empty(), ShuffleRuntime.current());
  }

  @Test
  void refusesRequiredDeviceHeapsOfNvshmemWithoutANumberOfExecutors() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                application()
                    .master("spark://127.0.0.1:1")
                    .config("spark.symshuffle.device.backend", "nvshmem")
                    .config("spark.symshuffle.device.required", "true")
                    .getOrCreate());
    assertTrue(
        refused.getMessage().contains("set spark.symshuffle.device.pes"), refused.getMessage());
  }

  private SparkSession.Builder application() {
    return SparkSession.builder()
        .config("spark.ui.enabled", "false")
        .config("spark.plugins", "io.symshuffle.SymShufflePlugin")
        .config("spark.symshuffle.heap.dir", heaps.toString())
        .config("spark.symshuffle.heap.size", "64m")
        .config("spark.sql.shuffle.partitions", "4");
  }
}
