// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An application whose rows go through the device heaps of two executors on fakes of the CUDA
 * driver and of NVSHMEM: the real kernels, slowly, on the CPU.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FakeGpus.class)
@SparkTest(
    conf = {
      "spark.symshuffle.rows.tier=device",
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.heap.size=64m",
      "spark.symshuffle.device.nvshmem.home=${" + FakeGpus.NVSHMEM_HOME + "}",
      "spark.executorEnv.LD_LIBRARY_PATH=${" + FakeGpus.CUDA_FOLDER + "}",
      "spark.sql.autoBroadcastJoinThreshold=-1",
      "spark.sql.adaptive.autoBroadcastJoinThreshold=-1",
      "spark.sql.timeType.enabled=true"
    },
    deadlineSeconds = 280)
@interface OnFakeGpus {}
