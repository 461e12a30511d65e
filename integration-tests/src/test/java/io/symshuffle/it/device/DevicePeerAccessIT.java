// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Executors of one host whose GPUs must not read each other's memory, like cards without peer
 * access, on fakes of the CUDA driver.
 */
@ExtendWith(FakeGpus.class)
@SparkTest(
    conf = {
      FakeTablesPlugin.SETTING,
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.heap.size=256m",
      "spark.symshuffle.device.peerAccess=false",
      "spark.executorEnv.LD_LIBRARY_PATH=${" + FakeGpus.CUDA_FOLDER + "}"
    })
@Tag("full")
class DevicePeerAccessIT {
  @Test
  void tablesOfOtherGpusTravelPacked(SparkCluster cluster) {
    DeviceTransferIT.assertTablesTravelPacked(cluster);
  }
}
