// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import io.symshuffle.it.SparkTest;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An application whose rows go through the host heaps of two executors, which are mapped even where
 * copies are faster, and have several files.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SparkTest(
    conf = {
      "spark.symshuffle.heap.access=mapped",
      "spark.symshuffle.heap.files=3",
      "spark.sql.autoBroadcastJoinThreshold=-1",
      "spark.sql.adaptive.autoBroadcastJoinThreshold=-1",
      "spark.sql.timeType.enabled=true"
    })
@interface OnHostHeaps {}
