// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.Kills;
import io.symshuffle.it.failure.NumberedRows;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tables through device heaps on fakes of the CUDA driver and of NVSHMEM. They run the real kernels
 * on the CPU, slowly, so there is little data.
 */
@ExtendWith(FakeGpus.class)
@SparkTest(
    conf = {
      FakeTablesPlugin.SETTING,
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.heap.size=16m",
      "spark.symshuffle.device.nvshmem.home=${" + FakeGpus.NVSHMEM_HOME + "}",
      "spark.executorEnv.LD_LIBRARY_PATH=${" + FakeGpus.CUDA_FOLDER + "}"
    })
class DeviceTablesIT extends DeviceTablesSuite {
  @Test
  @Tag("full")
  void newExecutorsStartDeviceHeapsAfterAllWereLost(SparkCluster cluster) {
    assertSuccessorsOfAllHaveDeviceHeaps(cluster);
    awaitEmptyHeaps(cluster);
  }

  @Test
  void continuesAfterTheLossOfAnExecutor(SparkCluster cluster) {
    assertContinuesAfterALoss(cluster);
  }

  /** The time until the result is not checked, since fakes are slow. */
  @Test
  @Tag("long")
  void recoversFromAnExecutorKilledInTheMapStage(SparkCluster cluster) {
    assertRecovers(cluster, DeviceTablesSuite::killInTheMapStage);
  }

  @Test
  @Tag("long")
  void recoversFromAnExecutorKilledBetweenTheStages(SparkCluster cluster) {
    assertRecovers(cluster, DeviceTablesSuite::killBetweenTheStages);
  }

  @Test
  @Tag("long")
  void recoversFromAnExecutorKilledInTheReduceStage(SparkCluster cluster) {
    assertRecovers(cluster, DeviceTablesSuite::killInTheReduceStage);
  }

  private static void assertRecovers(
      SparkCluster cluster, Function<SparkCluster, Kills.Outcome> moment) {
    cluster.discard();
    assertEquals(NumberedRows.EXPECTED, moment.apply(cluster).sums());
  }
}
