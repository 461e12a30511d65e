// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.Kills;
import io.symshuffle.it.failure.NumberedRows;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * The fake engine's tables through NVSHMEM's device heaps on two real GPUs of one machine, with
 * killed executors.
 */
@Tag("gpu")
@SparkTest(
    conf = {
      FakeTablesPlugin.SETTING,
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.backend=nvshmem",
      "spark.symshuffle.device.heap.size=0.05"
    })
class GpuDeviceTablesIT extends DeviceTablesSuite {
  @BeforeAll
  static void needsAGpuForEachExecutor() {
    assumeTrue(
        CudaDriver.system().deviceCount() >= 2, "NVSHMEM needs a GPU for each of 2 executors");
  }

  @Test
  @SparkTest(
      conf = {
        FakeTablesPlugin.SETTING,
        "spark.symshuffle.device.required=true",
        "spark.symshuffle.device.backend=nvshmem",
        "spark.symshuffle.device.heap.size=256m",
        "spark.symshuffle.heap.size=64m"
      })
  void tablesThatDoNotFitGoToTheHostHeapAndToDisk(SparkCluster cluster) {
    assertAllTiersAreUsed(cluster, 10_000);
  }

  @Test
  void recoversFromAnExecutorKilledInTheMapStage(SparkCluster cluster, TestReporter reporter) {
    cluster.discard();
    assertMadeUpFor(killInTheMapStage(cluster), reporter);
  }

  @Test
  void recoversFromAnExecutorKilledBetweenTheStages(SparkCluster cluster, TestReporter reporter) {
    cluster.discard();
    assertMadeUpFor(killBetweenTheStages(cluster), reporter);
  }

  @Test
  void recoversFromAnExecutorKilledInTheReduceStage(SparkCluster cluster, TestReporter reporter) {
    cluster.discard();
    assertMadeUpFor(killInTheReduceStage(cluster), reporter);
  }

  private static void assertMadeUpFor(Kills.Outcome outcome, TestReporter reporter) {
    reporter.publishEntry("after the kill", outcome.toString());
    assertEquals(NumberedRows.EXPECTED, outcome.sums());
    assertTrue(outcome.untilEnd().toSeconds() < 30, outcome::toString);
  }

  @Test
  void newExecutorsStartDeviceHeapsAfterAllWereLost(SparkCluster cluster) {
    assertSuccessorsOfAllHaveDeviceHeaps(cluster);
  }

  @Test
  void continuesAfterTheLossOfAnExecutor(SparkCluster cluster) {
    assertContinuesAfterALoss(cluster);
  }
}
