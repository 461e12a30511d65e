// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle;

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
  /** Called by Spark. */
  public SymShufflePlugin() {}

  @Override
  public DriverPlugin driverPlugin() {
    return new SymShuffleDriverPlugin(SymShufflePlugin.class.getName());
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new SymShuffleExecutorPlugin();
  }
}
