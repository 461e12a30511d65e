// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle;

import io.symshuffle.plugin.config.JavaDefects;
import io.symshuffle.plugin.lifecycle.SymShuffleDriverPlugin;
import io.symshuffle.plugin.lifecycle.SymShuffleExecutorPlugin;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * The entry point: {@code --conf spark.plugins=io.symshuffle.SymShufflePlugin}.
 *
 * <p>On the driver it checks the settings, sets the shuffle manager and assigns PE numbers; on each
 * executor it creates the heap before any task starts. In local mode one process does both.
 */
public final class SymShufflePlugin implements SparkPlugin {
  @Override
  public DriverPlugin driverPlugin() {
    checkJava("the driver");
    return new SymShuffleDriverPlugin(SymShufflePlugin.class.getName());
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    checkJava("this executor");
    return new SymShuffleExecutorPlugin();
  }

  /** This class is compiled for Java 17, so that older Javas than SymShuffle needs get this far. */
  private static void checkJava(String process) {
    if (Runtime.version().feature() < JavaDefects.OLDEST_JAVA) {
      throw new IllegalStateException(
          "SymShuffle needs Java %d or newer, but %s runs on Java %s: set JAVA_HOME for the driver and spark.executorEnv.JAVA_HOME for executors, or remove %s from spark.plugins"
              .formatted(
                  JavaDefects.OLDEST_JAVA,
                  process,
                  Runtime.version(),
                  SymShufflePlugin.class.getName()));
    }
  }
}
