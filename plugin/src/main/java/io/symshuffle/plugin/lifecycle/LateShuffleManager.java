// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import java.lang.reflect.Field;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs executors of Spark 4.0 and 4.1 that have no shuffle manager (SPARK-54796, fixed in Spark
 * 4.2). Such an executor can be chosen for the map outputs of a decommissioned one as soon as its
 * block manager is registered. If they arrive before it has created its shuffle manager, which is
 * after the start of all plugins, the block manager keeps {@code null} forever, cannot serve a
 * single block, and jobs fail.
 */
final class LateShuffleManager {
  private static final Logger LOG = LoggerFactory.getLogger(LateShuffleManager.class);

  /** A lazy value, whose accessor returns what this field contains once it was asked for. */
  private static final String FIELD = "shuffleManager";

  private LateShuffleManager() {}

  /**
   * Gives the block manager the executor's shuffle manager if it has none.
   *
   * @param env of an executor that has created its shuffle manager
   */
  static void handOver(SparkEnv env) {
    if (env.shuffleManager() == null) {
      return;
    }
    try {
      Field field = BlockManager.class.getDeclaredField(FIELD);
      field.setAccessible(true);
      if (field.get(env.blockManager()) == null) {
        field.set(env.blockManager(), env.shuffleManager());
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      // Other versions of Spark may not have the field, nor the need for it.
      LOG.debug("The block manager has no field {}", FIELD, e);
    }
  }
}
