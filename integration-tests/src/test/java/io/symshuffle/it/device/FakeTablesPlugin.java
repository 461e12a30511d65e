// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.it.SparkTest;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.table.FakeEngine;
import io.symshuffle.shuffle.table.TableEngines;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Installs the fake engine of tables on the driver and the executors of an application, in the
 * place of RAPIDS: after our plugin in {@code spark.plugins}.
 */
public final class FakeTablesPlugin implements SparkPlugin {
  /** Both plugins, as a setting of {@link SparkTest}. */
  static final String SETTING =
      "spark.plugins=io.symshuffle.SymShufflePlugin,io.symshuffle.it.device.FakeTablesPlugin";

  /** Called by Spark. */
  public FakeTablesPlugin() {}

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      @Override
      public Map<String, String> init(SparkContext context, PluginContext pluginContext) {
        TableEngines.install(
            new FakeEngine(
                () -> {
                  throw new IllegalStateException("the driver has no GPU");
                }));
        return Map.of();
      }

      @Override
      public void shutdown() {
        TableEngines.unavailable("the application has ended");
      }
    };
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorPlugin() {
      @Override
      public void init(PluginContext context, Map<String, String> extraConf) {
        TableEngines.starting();
        TableEngines.install(new FakeEngine(FakeTablesPlugin::gpu));
      }
    };
  }

  /** The GPU of the device heap, as RAPIDS uses it; any one for an executor that has none. */
  private static CudaContext gpu() {
    return ShuffleRuntime.require()
        .device()
        .map(DeviceTier::context)
        .orElseGet(() -> CudaDriver.system().device(0).openPrimaryContext());
  }
}
