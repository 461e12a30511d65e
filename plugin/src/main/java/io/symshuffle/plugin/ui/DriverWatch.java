// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.bootstrap.Message;
import io.symshuffle.plugin.bootstrap.Message.DeviceReply;
import io.symshuffle.plugin.bootstrap.Message.DeviceReport;
import io.symshuffle.plugin.bootstrap.Message.Join;
import io.symshuffle.plugin.bootstrap.Message.Report;
import io.symshuffle.plugin.bootstrap.Message.Welcome;
import io.symshuffle.plugin.bootstrap.Messages;
import io.symshuffle.plugin.config.SparkSettingsCheck;
import io.symshuffle.plugin.device.DeviceNews;
import io.symshuffle.plugin.device.DeviceNews.HostHeap;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.shuffle.SymShuffleManager;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A driver's plugin that also shows the tab and posts the events behind it: it overhears what
 * executors and driver say to each other. Whatever goes wrong here is logged and harms no shuffle.
 */
public final class DriverWatch implements DriverPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(DriverWatch.class);

  private final DriverPlugin plugin;
  private volatile Optional<Consumer<SparkListenerEvent>> bus = Optional.empty();

  // The driver's counters outlive an application in the same process.
  @GuardedBy("this")
  private Map<String, Long> delegatedBefore = Map.of();

  @GuardedBy("this")
  private Map<String, Long> delegatedTold = Map.of();

  /**
   * Wraps a plugin.
   *
   * @param plugin does the work
   */
  public DriverWatch(DriverPlugin plugin) {
    this.plugin = requireNonNull(plugin, "plugin is null");
  }

  @Override
  public Map<String, String> init(SparkContext context, PluginContext pluginContext) {
    Map<String, String> extra = plugin.init(context, pluginContext);
    String manager = context.conf().get(SparkSettingsCheck.MANAGER_KEY, "");
    if (manager.equals(SymShuffleManager.class.getName())) {
      try {
        show(context);
      } catch (RuntimeException | LinkageError e) {
        LOG.warn("There is no page of SymShuffle in Spark's UI", e);
      }
    }
    return extra;
  }

  private synchronized void show(SparkContext context) {
    delegatedBefore = ShuffleRuntime.driverStats().delegatedByReason();
    UiState state = new UiState();
    context.addSparkListener(new UiListener(state));
    context.addSparkListener(
        new SparkListener() {
          // A query that is not ours at all has no executor that would report anything.
          @Override
          public void onStageCompleted(SparkListenerStageCompleted event) {
            tellDelegated(System.currentTimeMillis());
          }
        });
    bus = Optional.of(context.listenerBus()::post);
    if (context.ui().isDefined()) {
      SymShuffleTab.attach(context.ui().get(), state::snapshot);
    }
  }

  @Override
  public void registerMetrics(String appId, PluginContext pluginContext) {
    plugin.registerMetrics(appId, pluginContext);
  }

  @Override
  public Object receive(Object message) throws Exception {
    if (bus.isEmpty()) {
      return plugin.receive(message);
    }
    try {
      Optional<UsageReport> usage = UsageReport.ofWire(message);
      if (usage.isPresent()) {
        bus.get().accept(new UsageEvent(usage.get()));
        tellDelegated(usage.get().time());
        return null;
      }
    } catch (IllegalArgumentException e) {
      LOG.debug("An executor sent what cannot be shown", e);
      return null;
    }
    Object answer = plugin.receive(message);
    try {
      overhear(Messages.decode(message), answer);
    } catch (IllegalArgumentException e) {
      LOG.debug("A message was not understood, and is not shown", e);
    }
    return answer;
  }

  private void overhear(Message message, Object answer) {
    long now = System.currentTimeMillis();
    if (message instanceof Join join
        && answer != null
        && Messages.decode(answer) instanceof Welcome welcome) {
      post(
          new PeEvent(
              now, join.executorId(), welcome.pe(), join.host().name(), PeEvent.JOINED, 0, "", ""));
    } else if (message instanceof Report report) {
      post(
          new PeEvent(
              now,
              report.executorId(),
              -1,
              "",
              PeEvent.JOINED,
              report.heapBytes(),
              report.heapBase(),
              report.trouble().orElse("")));
    } else if (message instanceof DeviceReport device) {
      whyOnTheHostHeap(device.step(), answer)
          .ifPresent(
              reason ->
                  post(
                      new PeEvent(
                          now, device.executorId(), -1, "", PeEvent.JOINED, 0, "", reason)));
    }
  }

  private static Optional<String> whyOnTheHostHeap(DeviceStep step, Object answer) {
    if (step instanceof Decline(String reason)) {
      return Optional.of(reason);
    }
    return answer != null
            && Messages.decode(answer) instanceof DeviceReply(DeviceNews news)
            && news instanceof HostHeap(String reason, boolean _)
        ? Optional.of(reason)
        : Optional.empty();
  }

  /** Posts the count of delegated shuffles when it has changed. */
  private synchronized void tellDelegated(long now) {
    Map<String, Long> counts = new TreeMap<>(ShuffleRuntime.driverStats().delegatedByReason());
    counts.replaceAll((reason, n) -> n - delegatedBefore.getOrDefault(reason, 0L));
    counts.values().removeIf(n -> n <= 0);
    if (!counts.equals(delegatedTold)) {
      delegatedTold = new HashMap<>(counts);
      post(new DelegatedEvent(now, counts));
    }
  }

  private void post(SparkListenerEvent event) {
    bus.ifPresent(consumer -> consumer.accept(event));
  }

  @Override
  public void shutdown() {
    plugin.shutdown();
  }
}
