// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapException;
import io.symshuffle.plugin.bootstrap.Message.DeviceReply;
import io.symshuffle.plugin.bootstrap.Message.DeviceReport;
import io.symshuffle.plugin.bootstrap.Message.Join;
import io.symshuffle.plugin.bootstrap.Message.Report;
import io.symshuffle.plugin.bootstrap.Message.Welcome;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceMember;
import io.symshuffle.plugin.device.DeviceNews;
import io.symshuffle.plugin.device.DeviceRequiredException;
import io.symshuffle.plugin.device.DeviceResult;
import io.symshuffle.plugin.device.DeviceStart;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.metrics.ExecutorMetrics;
import io.symshuffle.shuffle.core.PartWrapper;
import io.symshuffle.shuffle.core.PeTable;
import io.symshuffle.shuffle.core.ShuffleConfig;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.rapids.RapidsStart;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The steps by which an executor becomes a PE. */
final class ExecutorStart {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorStart.class);

  /** What an executor learns, or decides, before it makes its heap. */
  private record Place(
      FolderToken token,
      int pe,
      int pesOfHost,
      int turn,
      PeTable peers,
      HostIdentity host,
      Optional<String> trouble) {
    /** Whether the driver knows this executor. */
    boolean isMember() {
      return trouble.isEmpty();
    }
  }

  private final PluginContext context;
  private final ExecutorSide spark;
  private final DeviceLibraries libraries;
  private final DriverLink link;

  ExecutorStart(PluginContext context, ExecutorSide spark, DeviceLibraries libraries) {
    this.context = requireNonNull(context, "context is null");
    this.spark = requireNonNull(spark, "spark is null");
    this.libraries = requireNonNull(libraries, "libraries is null");
    this.link = new DriverLink(context);
  }

  /**
   * Joins, makes the heap and starts the shuffle.
   *
   * @return what to end when the executor ends
   * @throws CancellationException if the process ends before there is a heap
   * @throws DeviceRequiredException if there is no device heap and the application wants one
   */
  RunningMember start(EndDuringStart processEnd) throws IOException, InterruptedException {
    SymShuffleConfig config = ConfigReader.read(context.conf());
    PartWrapper wrapper = wrapper();
    MembershipView view =
        new MembershipView(new TableSource(link, config.joinTimeout()), System::nanoTime);
    ApplicationEnd end = new ApplicationEnd();
    Optional<Object> pushAddress =
        spark.openPushEndpoint(new PushReceiver(view, end), end::driverGone);
    Place place = join(config, view, pushAddress);
    // First, while nobody else has taken the GPU's memory.
    DeviceResult device = startDevice(config, place);
    Optional<DeviceMember> deviceMember = deviceMember(device);
    if (processEnd.isEnding()) {
      throw new CancellationException("this process ends.");
    }
    HeapOpener.Opened heap =
        new HeapOpener(config, spark.localDir()).open(place.token(), place.pe(), place.pesOfHost());
    ShuffleStats stats = new ShuffleStats();
    ShuffleRuntime runtime =
        startRuntime(config, heap, place, stats, deviceMember.map(DeviceMember::tier), wrapper);
    ShuffleRuntime.install(runtime);
    deviceMember.ifPresent(member -> view.onLost(member.tier()::lost));
    if (!spark.isLocal()) {
      // In local mode the driver does both, in this very process.
      new ExecutorMetrics(stats, runtime::slabStats, runtime::deviceStats)
          .register(context.metricRegistry());
    }
    HeapCleaner.sweepInBackground(() -> SweptPlaces.of(config, spark.localDir()));
    LOG.info(
        "Executor {} is PE {} with a heap of {} under {}, one of {} expected on this host",
        context.executorID(),
        place.pe(),
        new ByteSize(heap.arenaBytes()),
        heap.base(),
        place.pesOfHost());
    report(
        reach(heap, runtime),
        heap,
        Stream.concat(place.trouble().stream(), deviceTrouble(device).stream()));
    return new RunningMember(runtime, heap.folder(), end, deviceMember, spark.isLocal());
  }

  /** Whether driver and executor are one process. */
  boolean isLocal() {
    return spark.isLocal();
  }

  /** Injects faults, if a test asks for them; see {@link PartWrapper#KEY}. */
  private PartWrapper wrapper() throws IOException {
    String text = context.conf().get(PartWrapper.KEY, "");
    return text.isEmpty()
        ? PartWrapper.NONE
        : PartWrapper.load(text, context.executorID(), !spark.isLocal());
  }

  /** Leaves the executor without SymShuffle: tasks that need it fail with the reason. */
  void giveUp(Throwable cause) {
    String reason =
        "SymShuffle could not start on executor %s: %s"
            .formatted(
                context.executorID(), isForeseen(cause) ? cause.getMessage() : cause.toString());
    if (isForeseen(cause)) {
      LOG.error(reason);
    } else {
      // Not foreseen, so whoever reads it needs to know where.
      LOG.error(reason, cause);
    }
    ShuffleRuntime.unavailable(reason);
    tell(new Report(context.executorID(), 0, "", "", Optional.of(reason)));
  }

  private static boolean isForeseen(Throwable cause) {
    return cause instanceof HeapException || cause instanceof DeviceRequiredException;
  }

  private DeviceResult startDevice(SymShuffleConfig config, Place place)
      throws InterruptedException {
    DeviceConfig device = config.device();
    if (!device.isOn()) {
      return new DeviceResult.HostHeap(
          "%s is false".formatted(Settings.DEVICE_ENABLED.key()), true);
    }
    boolean used = config.rapidsMode().equals(RapidsStart.DEVICE) || config.rowsOnDevice();
    if (!used && device.enabled().isEmpty() && !device.required()) {
      return new DeviceResult.HostHeap("nothing would lie there", true);
    }
    if (!place.isMember()) {
      String reason = "the executor could not join";
      return device.required()
          ? new DeviceResult.Refused(place.trouble().orElse(reason))
          : new DeviceResult.HostHeap(reason, true);
    }
    return new DeviceStart(device, libraries, step -> say(step, config))
        .start(place.pe(), place.turn(), place.host().bootId(), spark.gpuAddresses());
  }

  private DeviceNews say(DeviceStep step, SymShuffleConfig config)
      throws IOException, TimeoutException, InterruptedException {
    Message answer = link.ask(new DeviceReport(context.executorID(), step), config.joinTimeout());
    if (answer instanceof DeviceReply(DeviceNews news)) {
      return news;
    }
    throw new IOException(
        "The driver answered a report on the device heap with "
            + answer.getClass().getSimpleName());
  }

  private static Optional<DeviceMember> deviceMember(DeviceResult result) {
    return switch (result) {
      case DeviceResult.Active(DeviceMember member) -> Optional.of(member);
      case DeviceResult.HostHeap _ -> Optional.empty();
      case DeviceResult.Refused(String reason) -> throw new DeviceRequiredException(reason);
    };
  }

  private Optional<String> deviceTrouble(DeviceResult result) {
    if (result instanceof DeviceResult.HostHeap(String reason, boolean expected)) {
      String sentence =
          "There is no device heap: %s. Shuffles go through the host heap.".formatted(reason);
      if (!expected) {
        if (!spark.isLocal()) {
          // In local mode the driver's warning of the report is in the same log.
          LOG.warn(sentence);
        }
        return Optional.of(sentence);
      }
      LOG.info(sentence);
    }
    return Optional.empty();
  }

  private Place join(SymShuffleConfig config, MembershipView view, Optional<Object> pushAddress)
      throws InterruptedException {
    HostIdentity host = spark.host();
    Join join =
        new Join(
            context.executorID(),
            host,
            Runtime.getRuntime().availableProcessors(),
            spark.cores(),
            pushAddress);
    try {
      Message answer = link.ask(join, config.joinTimeout());
      if (answer instanceof Welcome(var token, var pe, var pesOfHost, var turn, var table)) {
        view.apply(table);
        return new Place(token, pe, pesOfHost, turn, view, host, Optional.empty());
      }
      throw new IOException(
          "The driver answered a joining with " + answer.getClass().getSimpleName());
    } catch (IOException | TimeoutException e) {
      return alone(e, host);
    }
  }

  // Under a token of its own nobody finds its heap, and it takes nobody else's for a peer's.
  private Place alone(Exception cause, HostIdentity host) {
    String trouble =
        "Executor %s could not join (%s) and works alone: blocks to and from other executors travel through Spark's block transfer. If the driver is only slow, raise %s."
            .formatted(context.executorID(), cause.getMessage(), Settings.JOIN_TIMEOUT.key());
    LOG.warn(trouble);
    String self = context.executorID();
    PeTable onlySelf = id -> id.equals(self) ? OptionalInt.of(0) : OptionalInt.empty();
    int pesOfHost =
        ClusterShape.of(context.conf())
            .pesOfHost(Runtime.getRuntime().availableProcessors(), spark.cores(), 1);
    return new Place(FolderToken.random(), 0, pesOfHost, 0, onlySelf, host, Optional.of(trouble));
  }

  private static ShuffleRuntime startRuntime(
      SymShuffleConfig config,
      HeapOpener.Opened heap,
      Place place,
      ShuffleStats stats,
      Optional<DeviceTier> device,
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
                  config.heapRetained().bytes(),
                  config.rowsOnDevice()),
              heap.heap(),
              heap.diskFolder(),
              place.peers(),
              stats,
              device,
              wrapper);
      started = true;
      return runtime;
    } finally {
      if (!started) {
        heap.heap().close();
      }
    }
  }

  /**
   * Where this executor's map outputs lie: who says the same can read them when it is gone. With
   * rows on GPUs only executors of one device epoch can read each other's.
   */
  private static String reach(HeapOpener.Opened heap, ShuffleRuntime runtime) {
    String folder = heap.folder().identity();
    return runtime
        .device()
        .filter(tier -> runtime.config().deviceRows())
        .map(tier -> folder + " and GPUs " + tier.epoch())
        .orElse(folder);
  }

  private void report(String reach, HeapOpener.Opened heap, Stream<String> troubles) {
    heap.warnings().forEach(LOG::warn);
    String trouble =
        Stream.concat(troubles, heap.warnings().stream()).collect(Collectors.joining(" "));
    tell(
        new Report(
            context.executorID(),
            heap.arenaBytes(),
            heap.base().toString(),
            reach,
            Optional.of(trouble).filter(text -> !text.isEmpty())));
  }

  private void tell(Report report) {
    try {
      link.tell(report);
    } catch (IOException | RuntimeException e) {
      LOG.debug("The driver could not be told how this executor started", e);
    }
  }
}
