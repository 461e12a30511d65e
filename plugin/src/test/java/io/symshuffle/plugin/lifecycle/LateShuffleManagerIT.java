// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Field;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class LateShuffleManagerIT {
  @Test
  void blockManagerThatWasAskedTooEarlyServesBlocksAgain() throws Exception {
    SparkContext context =
        new SparkContext(
            new SparkConf(false)
                .setMaster("local[1]")
                .setAppName("late shuffle manager")
                .set("spark.ui.enabled", "false"));
    try {
      SparkEnv env = context.env();
      assertFalse(failure(env) instanceof NullPointerException, "before");
      // What a block manager of Spark 4.0 or 4.1 keeps if it is asked before there is a manager.
      Field field = BlockManager.class.getDeclaredField("shuffleManager");
      field.setAccessible(true);
      field.set(env.blockManager(), null);
      assertThrows(NullPointerException.class, () -> ask(env));
      LateShuffleManager.handOver(env);
      assertFalse(failure(env) instanceof NullPointerException, "after");
    } finally {
      context.stop();
    }
  }

  /** No such block exists, so an executor that can serve blocks says so. */
  private static Throwable failure(SparkEnv env) {
    return assertThrows(Throwable.class, () -> ask(env));
  }

  private static void ask(SparkEnv env) {
    env.blockManager().getLocalBlockData(new ShuffleBlockId(0, 0, 0));
  }
}
