// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Device heaps of CUDA memory on real GPUs, which executors share if there is only one. */
@Tag("gpu")
@SparkTest(
    conf = {
      ScalingWaves.SETTINGS,
      FakeTablesPlugin.SETTING,
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.backend=cuda",
      "spark.symshuffle.device.heap.size=0.05"
    })
class GpuCudaScalingIT {
  @Test
  void executorsComeAndGoUnderLoadWithoutRecomputation(SparkCluster cluster) {
    ScalingWaves.check(cluster);
  }
}
