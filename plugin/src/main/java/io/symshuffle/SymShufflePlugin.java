// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle;

import io.symshuffle.plugin.bootstrap.DriverEndpoint;
import io.symshuffle.plugin.bootstrap.ExecutorMember;
import io.symshuffle.plugin.ui.DriverWatch;
import io.symshuffle.plugin.ui.ReportingExecutor;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * SymShuffle's one way in: {@code --conf spark.plugins=io.symshuffle.SymShufflePlugin}.
 *
 * <p>On the driver it checks the settings, sets the shuffle manager and numbers the executors; on
 * each executor it makes the heap, before any task arrives. Both report to a page in Spark's UI. In
 * local mode one process does both.
 */
public final class SymShufflePlugin implements SparkPlugin {
  /** Called by Spark. */
  public SymShufflePlugin() {}

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverWatch(new DriverEndpoint());
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ReportingExecutor(new ExecutorMember());
  }
}
