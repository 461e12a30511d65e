// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.shuffle.SymShuffleDataIO;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether map outputs outlive their executors, and how Spark's scheduler learns of it. */
final class KeepOutputsOfLost {
  /** Where Spark asks whether shuffle data outlives executors. */
  static final String DATA_IO_KEY = "spark.shuffle.sort.io.plugin.class";

  private static final Logger LOG = LoggerFactory.getLogger(KeepOutputsOfLost.class);

  private KeepOutputsOfLost() {}

  /**
   * Tells Spark, where map outputs do outlive executors: where heaps are mapped, and where that
   * setting of Spark's is still free.
   *
   * @param conf the application's settings, before Spark reads this one
   * @return whether the map outputs of lost executors are our business from now on
   */
  static boolean tell(SparkConf conf, SymShuffleConfig config) {
    if (!config.peerMapping()) {
      LOG.info(
          "{} is false: when an executor is lost, its map outputs are computed again",
          Settings.READ_PEER_MAPPING.key());
      return false;
    }
    String ours = SymShuffleDataIO.class.getName();
    String chosen = conf.get(DATA_IO_KEY, ours);
    if (!chosen.equals(ours)) {
      LOG.info(
          "{} is '{}', and stays so: when an executor is lost, its map outputs are computed again,"
              + " though others could read them",
          DATA_IO_KEY,
          chosen);
      return false;
    }
    conf.set(DATA_IO_KEY, ours);
    return true;
  }
}
