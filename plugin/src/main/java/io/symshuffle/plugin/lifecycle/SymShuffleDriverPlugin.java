// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.JarVersion;
import io.symshuffle.plugin.config.JavaDefects;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SparkSettingsCheck;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.config.SymShuffleConfigException;
import io.symshuffle.plugin.device.DeviceBackend;
import io.symshuffle.plugin.device.DeviceCoordinator;
import io.symshuffle.plugin.device.nvshmem.ExpectedPes;
import io.symshuffle.plugin.device.nvshmem.NvshmemEpochs;
import io.symshuffle.plugin.membership.ClusterShape;
import io.symshuffle.plugin.membership.DriverRpcHandler;
import io.symshuffle.plugin.membership.HostIdentity;
import io.symshuffle.plugin.membership.Member;
import io.symshuffle.plugin.membership.Membership;
import io.symshuffle.plugin.membership.MembershipListener;
import io.symshuffle.plugin.membership.MembershipPusher;
import io.symshuffle.plugin.membership.Message.EndedShuffle;
import io.symshuffle.plugin.membership.Message.Refusal;
import io.symshuffle.plugin.membership.MessageSerializer;
import io.symshuffle.plugin.membership.UsageTotals;
import io.symshuffle.plugin.metrics.DriverMetrics;
import io.symshuffle.plugin.metrics.ExecutorMetrics;
import io.symshuffle.plugin.rapids.RapidsChoice;
import io.symshuffle.plugin.retention.DriverFolders;
import io.symshuffle.plugin.retention.LostExecutorOutputs;
import io.symshuffle.plugin.retention.StartupSweep;
import io.symshuffle.shuffle.SymShuffleManager;
import io.symshuffle.shuffle.runtime.ShuffleEndNotifier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.CollectionConverters;

/**
 * SymShuffle on the driver. Spark starts it before the shuffle manager, so it can set ours, and
 * before any executor, so it can change settings that our shuffle cannot work with, or refuse them:
 * then the {@code SparkContext} does not start and shows our message.
 *
 * <p>Afterwards it assigns PE numbers, tells executors about each other, and at the end removes the
 * application's folders on its own host.
 */
public final class SymShuffleDriverPlugin implements DriverPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(SymShuffleDriverPlugin.class);

  /** What runs while SymShuffle is enabled. */
  private record Running(
      Membership membership,
      MembershipPusher pusher,
      DeviceCoordinator devices,
      DriverRpcHandler handler,
      DriverFolders folders,
      RapidsChoice rapids,
      UsageTotals totals,
      SparkContext context,
      boolean smallStagesFirst) {}

  private final String pluginClass;
  private final CountDownLatch started = new CountDownLatch(1);
  private volatile Optional<Running> running = Optional.empty();

  public SymShuffleDriverPlugin(String pluginClass) {
    this.pluginClass = pluginClass;
  }

  @Override
  public Map<String, String> init(SparkContext context, PluginContext pluginContext) {
    // The context's own settings, not a copy: changes apply to the driver and the executors.
    SparkConf conf = context.conf();
    if (!ConfigReader.isEnabled(conf)) {
      LOG.info("SymShuffle is disabled, because {} is false", Settings.ENABLED.key());
      return Map.of();
    }
    SymShuffleConfig config = ConfigReader.read(conf);
    String manager = SymShuffleManager.class.getName();
    boolean serviceWasOn = conf.getBoolean(SparkSettingsCheck.SERVICE_KEY, false);
    if (!new SparkSettingsCheck(pluginClass, manager)
        .resolve(conf, context.version(), config.required())) {
      return Map.of();
    }
    ExpectedPes expectedPes = ExpectedPes.of(conf, config.device());
    if (config.device().required()
        && expectedPes.problem().isPresent()
        && DeviceBackend.choose(config, Optional::empty, expectedPes::problem).backend()
            == DeviceBackend.NVSHMEM) {
      throw new SymShuffleConfigException(
          List.of(
              "%s is true, but %s."
                  .formatted(Settings.DEVICE_REQUIRED.key(), expectedPes.problem().get())));
    }
    JavaDefects.ofThisProcess().forEach(LOG::warn);
    conf.set(SparkSettingsCheck.MANAGER_KEY, manager);
    SparkSettingsCheck.addDefaults(conf);
    RapidsChoice rapids =
        new RapidsChoice(conf, pluginClass, Thread.currentThread().getContextClassLoader());
    rapids.decide(config.rapidsMode(), expectedPes.number());
    running = Optional.of(start(context, config, expectedPes, rapids, serviceWasOn));
    DaemonThreads.start("symshuffle-sweep", () -> StartupSweep.run(config));
    LOG.info("SymShuffle serves the shuffles of this application");
    return JarVersion.forExecutors();
  }

  private Running start(
      SparkContext context,
      SymShuffleConfig config,
      ExpectedPes expectedPes,
      RapidsChoice rapids,
      boolean serviceWasOn) {
    SparkConf conf = context.conf();
    ShuffleRuntime.resetDriverStats();
    FolderToken token = FolderToken.random();
    Membership membership = new Membership();
    MembershipPusher pusher = new MembershipPusher(membership);
    DeviceCoordinator devices =
        new DeviceCoordinator(
            new NvshmemEpochs(expectedPes, config.device().timeout(), System::nanoTime),
            config.device().required(),
            new ApplicationStop(context, started)::request);
    DriverFolders folders =
        new DriverFolders(
            token,
            HostIdentity.local(conf.get("spark.driver.host", "localhost")),
            config.heapDir());
    List<MembershipListener> listeners =
        new ArrayList<>(List.of(folders, FailedStarts.in(context)));
    LostExecutorOutputs.install(conf, config, serviceWasOn).ifPresent(listeners::add);
    UiEvents.install(context).ifPresent(listeners::add);
    listeners.add(rapids);
    UsageTotals totals = new UsageTotals();
    listeners.add(totals);
    DriverRpcHandler handler =
        new DriverRpcHandler(
            token,
            ClusterShape.of(conf),
            membership,
            pusher,
            devices,
            SymShuffleDriverPlugin::pushTarget,
            listeners,
            () -> executors(context));
    ShuffleEndNotifier.setListener(
        id -> pusher.shuffleEnded(new EndedShuffle(id, lastTaskId(context))));
    // Not the queue of users' listeners: it drops events when one of them is slow.
    context
        .listenerBus()
        .addToManagementQueue(
            new SparkListener() {
              @Override
              public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
                handler.executorLost(event.executorId());
              }

              // Executors are told to stop after this, but may be before shutdown().
              @Override
              public void onApplicationEnd(SparkListenerApplicationEnd event) {
                pusher.end();
              }
            });
    return new Running(
        membership,
        pusher,
        devices,
        handler,
        folders,
        rapids,
        totals,
        context,
        config.smallStagesFirst());
  }

  @Override
  public void registerMetrics(String appId, PluginContext pluginContext) {
    // The last call of the driver's start: RAPIDS has started, and nothing has been planned yet.
    running.ifPresent(
        r -> {
          r.rapids().start(r.context().isLocal());
          if (r.smallStagesFirst()) {
            SmallStagesFirst.install(r.context());
          }
          new DriverMetrics(
                  ShuffleRuntime.driverStats(),
                  () -> r.membership().count(Member.State.JOINED),
                  () -> r.membership().count(Member.State.LOST),
                  r.devices()::activePes,
                  r.totals()::total)
              .register(pluginContext.metricRegistry());
        });
    // In local mode the executor's start is too early: Spark would warn that it has no name yet.
    ShuffleRuntime.current()
        .ifPresent(
            runtime ->
                new ExecutorMetrics(runtime.stats(), runtime::slabStats, runtime::deviceStats)
                    .register(pluginContext.metricRegistry()));
    // The context is now nearly complete.
    started.countDown();
  }

  @Override
  public Object receive(Object message) {
    if (running.isEmpty()) {
      // Executors read the same setting, so none should ask.
      return MessageSerializer.write(new Refusal("SymShuffle is disabled on the driver"));
    }
    return running.get().handler().receive(message);
  }

  @Override
  public void shutdown() {
    // In local mode, the executor may stop later. Its own folder is removed here.
    ShuffleRuntime.current().ifPresent(ShuffleRuntime::stopReclaiming);
    // The handler still answers executors that are slow to stop.
    running.ifPresent(
        r -> {
          ShuffleEndNotifier.clearListener();
          r.pusher().end();
          r.pusher().close();
          r.folders().close();
        });
  }

  private static Optional<Consumer<byte[]>> pushTarget(Object address) {
    return address instanceof RpcEndpointRef ref ? Optional.of(ref::send) : Optional.empty();
  }

  /** The ids of the executors that Spark knows; empty in local mode and before it has started. */
  private static Optional<Set<String>> executors(SparkContext context) {
    return context.schedulerBackend() instanceof CoarseGrainedSchedulerBackend backend
        ? Optional.of(Set.copyOf(CollectionConverters.asJava(backend.getExecutorIds())))
        : Optional.empty();
  }

  /** The highest id of a task that Spark has started; ids of later tasks are higher. */
  private static long lastTaskId(SparkContext context) {
    return context.taskScheduler() instanceof TaskSchedulerImpl scheduler
        ? scheduler.nextTaskId().get() - 1
        : Long.MAX_VALUE;
  }
}
