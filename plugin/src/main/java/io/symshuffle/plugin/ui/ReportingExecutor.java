// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import io.symshuffle.nvml.Nvml;
import io.symshuffle.plugin.device.LinkRate;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An executor's plugin that also tells the driver what it does, for the UI. */
public final class ReportingExecutor implements ExecutorPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(ReportingExecutor.class);

  private final ExecutorPlugin plugin;
  private final AtomicInteger tasks = new AtomicInteger();
  private volatile Optional<UsageReporter> reporter = Optional.empty();

  /**
   * Wraps a plugin.
   *
   * @param plugin does the work
   */
  public ReportingExecutor(ExecutorPlugin plugin) {
    this.plugin = requireNonNull(plugin, "plugin is null");
  }

  @Override
  public void init(PluginContext context, Map<String, String> extraConf) {
    plugin.init(context, extraConf);
    Optional<ShuffleRuntime> runtime = ShuffleRuntime.current();
    if (runtime.isEmpty()) {
      return;
    }
    UsageReporter started =
        new UsageReporter(
            context.executorID(),
            ShuffleRuntime::current,
            () -> tasks.get() > 0,
            linkBytesPerSecond(runtime.get()),
            message -> send(context, message));
    started.start();
    reporter = Optional.of(started);
  }

  private static long linkBytesPerSecond(ShuffleRuntime runtime) {
    return runtime
        .device()
        .map(tier -> LinkRate.of(Nvml.system(), tier.context().device().uuid()))
        .orElse(0L);
  }

  private static void send(PluginContext context, Object[] message) {
    try {
      context.send(message);
    } catch (IOException e) {
      LOG.debug("The driver cannot be reached", e);
    }
  }

  @Override
  public void onTaskStart() {
    tasks.incrementAndGet();
    plugin.onTaskStart();
  }

  @Override
  public void onTaskSucceeded() {
    tasks.decrementAndGet();
    plugin.onTaskSucceeded();
  }

  @Override
  public void onTaskFailed(TaskFailedReason reason) {
    tasks.decrementAndGet();
    plugin.onTaskFailed(reason);
  }

  @Override
  public void shutdown() {
    reporter.ifPresent(UsageReporter::close);
    plugin.shutdown();
  }
}
