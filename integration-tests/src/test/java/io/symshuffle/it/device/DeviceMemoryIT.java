// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Symmetric memory of GPUs in device heaps of CUDA memory, on fakes of the CUDA driver. */
@ExtendWith(FakeGpus.class)
@Tag("full")
@SparkTest(
    cores = 2,
    conf = {FakeGpus.CUDA_HEAPS, "spark.symshuffle.heap.retained=0", DeviceMemoryIT.HEARTBEATS})
class DeviceMemoryIT extends DeviceMemorySuite {
  /** Executors report what is used with each heartbeat. */
  static final String HEARTBEATS = "spark.executor.heartbeatInterval=1s";

  @Override
  long bytes() {
    return 64 << 10;
  }

  @Test
  void killedExecutorRepeatsTheStage(SparkCluster cluster) throws Exception {
    assertKilledExecutorRepeatsTheStage(cluster);
  }
}
