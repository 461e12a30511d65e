// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** An application whose rows go through the memory of two real GPUs of one machine. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("gpu")
@SparkTest(
    cores = 4,
    memoryMb = 3072,
    conf = {
      "spark.symshuffle.rows.tier=device",
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.heap.size=0.05",
      "spark.sql.autoBroadcastJoinThreshold=-1",
      "spark.sql.adaptive.autoBroadcastJoinThreshold=-1",
      "spark.sql.timeType.enabled=true"
    },
    deadlineSeconds = 240)
@interface OnGpus {}
