// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import io.symshuffle.it.SparkTest;
import org.junit.jupiter.api.Tag;

/**
 * Device heaps of CUDA memory on two real GPUs of one machine, or on one that executors share,
 * without NVSHMEM.
 */
@Tag("gpu")
@SparkTest(
    conf = {
      FakeTablesPlugin.SETTING,
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.backend=cuda",
      "spark.symshuffle.device.heap.size=0.05"
    })
class GpuCudaExecutorsIT extends CudaHeapSuite {}
