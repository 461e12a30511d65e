// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Device heaps of CUDA memory on fakes of the CUDA driver, without NVSHMEM. */
@ExtendWith(FakeGpus.class)
@SparkTest(conf = {FakeGpus.CUDA_HEAPS})
class DeviceCudaHeapIT extends CudaHeapSuite {
  /** Later successors are like the first. */
  @Override
  int losses() {
    return 1;
  }

  @Test
  @SparkTest(
      conf = {
        FakeGpus.CUDA_HEAPS,
        "spark.symshuffle.device.heap.size=16m",
        "spark.symshuffle.heap.size=6m"
      })
  @Tag("full")
  void tablesThatDoNotFitGoToTheHostHeapAndToDisk(SparkCluster cluster) {
    assertAllTiersAreUsed(cluster, 600);
  }
}
