// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import io.symshuffle.it.SparkTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Symmetric memory of GPUs in device heaps of NVSHMEM, on fakes. */
@ExtendWith(FakeGpus.class)
@Tag("full")
@SparkTest(
    cores = 2,
    conf = {
      FakeTablesPlugin.SETTING,
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.heap.size=16m",
      "spark.symshuffle.device.nvshmem.home=${" + FakeGpus.NVSHMEM_HOME + "}",
      "spark.executorEnv.LD_LIBRARY_PATH=${" + FakeGpus.CUDA_FOLDER + "}",
      "spark.symshuffle.heap.retained=0",
      DeviceMemoryIT.HEARTBEATS
    })
class DeviceNvshmemMemoryIT extends DeviceMemorySuite {
  @Override
  long bytes() {
    return 64 << 10;
  }
}
