// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import io.symshuffle.SymShufflePlugin;
import io.symshuffle.heap.FolderToken;
import io.symshuffle.plugin.bootstrap.Message.Refusal;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SparkSettingsCheck;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.config.SymShuffleConfigException;
import io.symshuffle.plugin.device.DeviceEpochs;
import io.symshuffle.plugin.device.ExpectedPes;
import io.symshuffle.plugin.metrics.DriverMetrics;
import io.symshuffle.plugin.metrics.ExecutorMetrics;
import io.symshuffle.plugin.rapids.RapidsChoice;
import io.symshuffle.shuffle.SymShuffleManager;
import io.symshuffle.shuffle.core.ShuffleEnds;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SymShuffle on the driver. Spark starts it before there is a shuffle manager, so it can set ours,
 * and before any executor, so it can refuse settings that would fail later; a {@code SparkContext}
 * whose settings are refused does not start, and shows our message.
 *
 * <p>Afterwards it numbers the executors and tells each who the others are, and at the end removes
 * what lies on its own host.
 */
public final class DriverEndpoint implements DriverPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(DriverEndpoint.class);

  // What our calls into Spark's internals were written and tested for.
  private static final String SPARK = "4.2.";

  /** What there is once we serve; empty if the application does not want us. */
  private record Serving(
      FolderToken token,
      Membership membership,
      MembershipPusher pusher,
      DeviceEpochs devices,
      DriverDesk desk,
      RapidsChoice rapids,
      boolean local) {}

  private final CountDownLatch started = new CountDownLatch(1);
  private volatile Optional<Serving> serving = Optional.empty();

  /** Called by way of {@link SymShufflePlugin}. */
  public DriverEndpoint() {}

  @Override
  public Map<String, String> init(SparkContext context, PluginContext pluginContext) {
    // The context's own settings, not a copy: what is set here holds for driver and executors.
    SparkConf conf = context.conf();
    if (!ConfigReader.isEnabled(conf)) {
      LOG.info("SymShuffle is off, since {} is false", Settings.ENABLED.key());
      return Map.of();
    }
    SymShuffleConfig config = ConfigReader.read(conf);
    String manager = SymShuffleManager.class.getName();
    new SparkSettingsCheck(SymShufflePlugin.class.getName(), manager).check(conf);
    ExpectedPes expectedPes = ExpectedPes.of(conf, config.device());
    if (config.device().required() && expectedPes.problem().isPresent()) {
      throw new SymShuffleConfigException(
          List.of(
              "%s is true, but %s."
                  .formatted(Settings.DEVICE_REQUIRED.key(), expectedPes.problem().get())));
    }
    warnOfAnotherSpark(context.version());
    conf.set(SparkSettingsCheck.MANAGER_KEY, manager);
    if (!config.peerMapping()) {
      // Spark would look for blocks of other executors of the host in their shuffle files, and our
      // reader has to switch that off under fetches of the sort shuffle that count on it.
      conf.set("spark.shuffle.readHostLocalDisk", "false");
    }
    RapidsChoice rapids = new RapidsChoice(conf, Thread.currentThread().getContextClassLoader());
    rapids.decide(config.rapidsMode());

    FolderToken token = FolderToken.random();
    Membership membership = new Membership();
    MembershipPusher pusher = new MembershipPusher(membership);
    DeviceEpochs devices =
        new DeviceEpochs(
            expectedPes,
            config.device().timeout(),
            config.device().required(),
            System::nanoTime,
            new ApplicationStop(context, started)::because);
    DriverDesk desk =
        new DriverDesk(
            token,
            HostIdentity.local(conf.get("spark.driver.host", "localhost")),
            ClusterShape.of(conf),
            membership,
            pusher,
            devices,
            DriverEndpoint::reach,
            KeepOutputsOfLost.tell(conf, config)
                ? Optional.of(LostOutputs.ofSpark())
                : Optional.empty());
    serving =
        Optional.of(
            new Serving(token, membership, pusher, devices, desk, rapids, context.isLocal()));
    ShuffleEnds.listen(pusher::shuffleOver);
    context.addSparkListener(new MembershipListener(desk, pusher));
    HeapCleaner.sweepInBackground(config.heapDir());
    LOG.info("SymShuffle serves the shuffles of this application");
    return Map.of();
  }

  @Override
  public void registerMetrics(String appId, PluginContext pluginContext) {
    // The last call of the driver's start: RAPIDS has started, and nothing has been planned yet.
    serving.ifPresent(s -> s.rapids().start(s.local()));
    serving.ifPresent(
        s ->
            new DriverMetrics(ShuffleRuntime.driverStats(), s.membership(), s.devices()::activePes)
                .register(pluginContext.metricRegistry()));
    // In local mode the executor's start is too early: Spark would warn that it has no name yet.
    ShuffleRuntime.current()
        .ifPresent(
            runtime ->
                new ExecutorMetrics(runtime.stats(), runtime::slabStats, runtime::deviceStats)
                    .register(pluginContext.metricRegistry()));
    // Spark calls this when nearly all of the context is there.
    started.countDown();
  }

  @Override
  public Object receive(Object message) {
    if (serving.isEmpty()) {
      // Executors read the same setting as we do, so none should ask.
      return Messages.encode(new Refusal("SymShuffle is off on the driver"));
    }
    return serving.get().desk().answer(message);
  }

  @Override
  public void shutdown() {
    // The desk stays open: executors that are slow to stop get their answers, and harm nobody.
    serving.ifPresent(
        s -> {
          ShuffleEnds.forget();
          s.pusher().end();
          s.pusher().close();
          s.desk().close();
          HeapCleaner.remove(s.token(), s.desk().localBases());
        });
  }

  private static Optional<PushTarget> reach(Object address) {
    return address instanceof RpcEndpointRef ref ? Optional.of(ref::send) : Optional.empty();
  }

  private static void warnOfAnotherSpark(String version) {
    if (!version.startsWith(SPARK)) {
      LOG.warn(
          "This SymShuffle is made for Spark {}x and this is Spark {}: take the jar made for it",
          SPARK,
          version);
    }
  }
}
