// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Symmetric memory of two real GPUs of one machine, or of one that executors share, in device heaps
 * of CUDA memory.
 */
@Tag("gpu")
@SparkTest(
    cores = 2,
    conf = {
      FakeTablesPlugin.SETTING,
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.backend=cuda",
      "spark.symshuffle.device.heap.size=0.05",
      "spark.symshuffle.heap.retained=0",
      DeviceMemoryIT.HEARTBEATS
    })
class GpuCudaMemoryIT extends DeviceMemorySuite {
  @Override
  long bytes() {
    return 16 << 20;
  }

  @Test
  void killedExecutorRepeatsTheStage(SparkCluster cluster) throws Exception {
    assertKilledExecutorRepeatsTheStage(cluster);
  }
}
