// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import io.symshuffle.it.SparkTest;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** An application whose rows go through the host heaps of two executors. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SparkTest(
    conf = {
      "spark.sql.autoBroadcastJoinThreshold=-1",
      "spark.sql.adaptive.autoBroadcastJoinThreshold=-1",
      "spark.sql.timeType.enabled=true"
    })
@interface OnHostHeaps {}
