// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.heap.HeapException;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ClusterSettings;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.JavaDefects;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceMember;
import io.symshuffle.plugin.device.DeviceRequiredException;
import io.symshuffle.plugin.device.DeviceResult;
import io.symshuffle.plugin.device.PreparedGpu;
import io.symshuffle.plugin.membership.DriverLink;
import io.symshuffle.plugin.membership.ExecutorMembership;
import io.symshuffle.plugin.membership.ExecutorMembership.Joined;
import io.symshuffle.plugin.membership.Message;
import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.StartReport;
import io.symshuffle.plugin.membership.Message.TablesUnavailable;
import io.symshuffle.plugin.membership.Message.Usage;
import io.symshuffle.plugin.metrics.ExecutorMetrics;
import io.symshuffle.plugin.metrics.UsageReporter;
import io.symshuffle.plugin.retention.StartupSweep;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.rapids.RapidsStart;
import io.symshuffle.shuffle.runtime.PartWrapper;
import io.symshuffle.shuffle.runtime.PeTable;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.table.TableEngines;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The steps by which an executor becomes a PE. */
final class ExecutorStart {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorStart.class);

  private final PluginContext context;
  private final ExecutorEnvironment environment;
  private final DeviceLibraries libraries;
  private final RunningTasks tasks;
  private final Duration pause;
  private final DriverLink link;

  /**
   * @param pause how long an executor whose start failed waits before tasks reach it
   */
  ExecutorStart(
      PluginContext context,
      ExecutorEnvironment environment,
      DeviceLibraries libraries,
      RunningTasks tasks,
      Duration pause) {
    this.context = context;
    this.environment = environment;
    this.libraries = libraries;
    this.tasks = tasks;
    this.pause = pause;
    this.link = new DriverLink(context);
  }

  /**
   * Joins, creates the heap and starts the shuffle.
   *
   * @return what to stop when the executor ends; empty if SymShuffle is disabled
   * @throws CancellationException if the process or the application ends before there is a heap
   * @throws DeviceRequiredException if there is no device heap and the application requires one
   */
  Optional<RunningExecutor> start(StartupShutdownHook processEnd)
      throws IOException, InterruptedException {
    if (!ConfigReader.isEnabled(context.conf())) {
      return Optional.empty();
    }
    SymShuffleConfig config = ConfigReader.read(context.conf());
    PartWrapper wrapper = wrapper();
    TableEngines.onUnavailable(reason -> tell(new TablesUnavailable(context.executorID(), reason)));
    RapidsStart.beforeRapids(context.conf());
    ExecutorMembership membership = new ExecutorMembership(link, config);
    Optional<Object> pushAddress =
        environment.openPushEndpoint(membership::receive, membership.end()::driverGone);
    int processors = Runtime.getRuntime().availableProcessors();
    int cores = environment.cores();
    Join join = new Join(context.executorID(), environment.host(), processors, cores);
    Joined joined = membership.join(join, pushAddress, context.conf());
    if (processEnd.isEnding()) {
      throw new CancellationException("this process is ending");
    }
    HeapOpener.Opened heap =
        new HeapOpener(
                config,
                environment.localDirs(),
                environment.diskEncryption().isPresent(),
                new ClusterSettings(context.conf()).hasOwnContainers(),
                cores > 0 ? cores : processors)
            .open(joined.token(), joined.pe(), joined.pesOfHost());
    // Before other plugins take the GPU's memory.
    DeviceResult deviceResult = openDevice(config, membership, joined, heap);
    Optional<DeviceMember> device =
        deviceResult instanceof DeviceResult.Active(DeviceMember member)
            ? Optional.of(member)
            : Optional.empty();
    device.ifPresent(member -> membership.onLost(member.tier()::lost));
    if (device.isPresent()) {
      long most = config.pinnedBytes();
      heap.heap().leaveRoom(() -> Math.max(0, most - PinnedPool.processBytes()));
    }
    ShuffleStats stats = new ShuffleStats();
    ShuffleRuntime runtime = startRuntime(config, heap, joined.peers(), stats, device, wrapper);
    UsageReporter reporter = publish(membership, stats, runtime, device);
    List<Path> localDirs = environment.localDirs();
    DaemonThreads.start("symshuffle-sweep", () -> StartupSweep.run(config, localDirs));
    LOG.info(
        "Executor {} is PE {} with a heap of {} under {}, one of {} expected on this host",
        context.executorID(),
        joined.pe(),
        new ByteSize(heap.arenaBytes()),
        heap.base(),
        joined.pesOfHost());
    report(heap, runtime, joined.problem(), deviceResult);
    return Optional.of(
        new RunningExecutor(runtime, heap.folder(), membership.end(), device, reporter, isLocal()));
  }

  /** Returns whether driver and executor are the same process. */
  boolean isLocal() {
    return environment.isLocal();
  }

  /**
   * Leaves the executor without SymShuffle: tasks that need it fail with the reason. They reach the
   * executor only after a pause, in which the driver may exclude it.
   *
   * @param processEnd need not wait for the pause
   */
  void giveUp(Throwable cause, StartupShutdownHook processEnd) {
    if (cause instanceof HeapException || cause instanceof DeviceRequiredException) {
      giveUp(cause.getMessage(), processEnd);
    } else {
      LOG.error("SymShuffle cannot start", cause);
      giveUp(cause.toString(), processEnd);
    }
  }

  /** As above, for a reason that was foreseen. */
  void giveUp(String found, StartupShutdownHook processEnd) {
    String reason =
        "SymShuffle cannot start on executor %s: %s".formatted(context.executorID(), found);
    LOG.error(reason);
    ShuffleRuntime.unavailable(reason);
    tell(new StartReport(context.executorID(), 0, "", "", reason));
    processEnd.started();
    if (!isLocal()) {
      LOG.info("Waiting {} ms, so that the driver can send tasks elsewhere", pause.toMillis());
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Injects faults, if a test asks for them; see {@link PartWrapper#KEY}. */
  private PartWrapper wrapper() throws IOException {
    String text = context.conf().get(PartWrapper.KEY, "");
    return text.isEmpty()
        ? PartWrapper.NONE
        : PartWrapper.load(text, context.executorID(), !isLocal());
  }

  private DeviceResult openDevice(
      SymShuffleConfig config, ExecutorMembership membership, Joined joined, HeapOpener.Opened heap)
      throws InterruptedException {
    DeviceOpener opener =
        new DeviceOpener(
            config,
            context.conf(),
            libraries,
            step -> membership.report(context.executorID(), step));
    boolean opened = false;
    try {
      DeviceResult device =
          joined.problem().isPresent()
              ? opener.withoutDriver(joined.problem().get())
              : opener.open(
                  new PreparedGpu.Executor(
                      joined.pe(),
                      joined.localRank(),
                      environment.host().bootId(),
                      environment.gpuAddresses()),
                  heap.folder());
      if (device instanceof DeviceResult.Refused(String reason)) {
        throw new DeviceRequiredException(reason);
      }
      opened = true;
      return device;
    } finally {
      if (!opened) {
        heap.heap().close();
        heap.folder().removeIfUnused();
      }
    }
  }

  private ShuffleRuntime startRuntime(
      SymShuffleConfig config,
      HeapOpener.Opened heap,
      PeTable peers,
      ShuffleStats stats,
      Optional<DeviceMember> device,
      PartWrapper wrapper)
      throws IOException {
    boolean started = false;
    try {
      ShuffleRuntime runtime =
          ShuffleRuntime.start(
              new ShuffleConfig(
                  Math.toIntExact(config.stagingSize().bytes()),
                  config.checksumEnabled(),
                  config.peerMapping(),
                  config.heapAccess(),
                  config.heapRetained().bytes(),
                  config
                      .peerMemory()
                      .map(ByteSize::bytes)
                      .orElseGet(() -> new ClusterSettings(context.conf()).maxMappedPeerBytes()),
                  config.compression(),
                  config.packsTables(),
                  config.pinned().bytes(),
                  environment.diskEncryption()),
              heap.heap(),
              heap.diskFolders(),
              peers,
              stats,
              device.map(DeviceMember::tier),
              wrapper);
      ShuffleRuntime.install(runtime);
      started = true;
      return runtime;
    } finally {
      if (!started) {
        device.map(DeviceMember::tier).ifPresent(DeviceTier::close);
        heap.heap().close();
      }
    }
  }

  private UsageReporter publish(
      ExecutorMembership membership,
      ShuffleStats stats,
      ShuffleRuntime runtime,
      Optional<DeviceMember> device) {
    if (!isLocal()) {
      // In local mode the driver plugin does this, in the same process.
      new ExecutorMetrics(stats, runtime::slabStats, runtime::deviceStats)
          .register(context.metricRegistry());
    }
    UsageReporter reporter =
        new UsageReporter(
            context.executorID(),
            ShuffleRuntime::current,
            tasks::areRunning,
            device.map(member -> member.backend().toString()).orElse(""),
            device.map(DeviceMember::linkBytesPerSecond).orElse(0L),
            report -> tell(new Usage(report, membership.epoch(), membership.ends())));
    reporter.start();
    return reporter;
  }

  private void report(
      HeapOpener.Opened heap,
      ShuffleRuntime runtime,
      Optional<String> joinProblem,
      DeviceResult device) {
    List<String> problems = new ArrayList<>(joinProblem.stream().toList());
    deviceProblem(device).ifPresent(problems::add);
    heap.warnings().forEach(LOG::warn);
    problems.addAll(heap.warnings());
    if (!isLocal()) {
      // In local mode the driver logs them.
      List<String> defects = JavaDefects.ofThisProcess();
      defects.forEach(LOG::warn);
      problems.addAll(defects);
    }
    tell(
        new StartReport(
            context.executorID(),
            heap.arenaBytes(),
            heap.base().toString(),
            readableBy(heap, runtime),
            String.join(" ", problems)));
  }

  private Optional<String> deviceProblem(DeviceResult result) {
    if (!(result instanceof DeviceResult.HostHeap(String reason, boolean expected))) {
      return Optional.empty();
    }
    String sentence = "There is no device heap: %s. Shuffles use the host heap.".formatted(reason);
    if (expected) {
      LOG.info(sentence);
      return Optional.empty();
    }
    if (!isLocal()) {
      // In local mode the driver logs it, in the same log.
      LOG.warn(sentence);
    }
    return Optional.of(sentence);
  }

  /**
   * Identifies who can read this executor's map outputs: those with the same value. Only executors
   * of the same device heap can read tables on GPUs.
   */
  private static String readableBy(HeapOpener.Opened heap, ShuffleRuntime runtime) {
    String folder = heap.folder().identity();
    return runtime.device().map(tier -> folder + " and GPUs " + tier.heap().group()).orElse(folder);
  }

  private void tell(Message message) {
    try {
      link.tell(message);
    } catch (IOException | RuntimeException e) {
      LOG.debug("Cannot send {} to the driver", message.getClass().getSimpleName(), e);
    }
  }
}
