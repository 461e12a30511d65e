// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapException;
import io.symshuffle.plugin.bootstrap.Message.Join;
import io.symshuffle.plugin.bootstrap.Message.Report;
import io.symshuffle.plugin.bootstrap.Message.Welcome;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.metrics.ExecutorMetrics;
import io.symshuffle.shuffle.PeTable;
import io.symshuffle.shuffle.ShuffleConfig;
import io.symshuffle.shuffle.ShuffleRuntime;
import io.symshuffle.shuffle.ShuffleStats;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
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
      FolderToken token, int pe, int pesOfHost, PeTable peers, Optional<String> trouble) {}

  private final PluginContext context;
  private final ExecutorSide spark;
  private final DriverLink link;

  ExecutorStart(PluginContext context, ExecutorSide spark) {
    this.context = requireNonNull(context, "context is null");
    this.spark = requireNonNull(spark, "spark is null");
    this.link = new DriverLink(context);
  }

  /**
   * Joins, makes the heap and starts the shuffle.
   *
   * @return what to end when the executor ends
   */
  RunningMember start() throws IOException, InterruptedException {
    SymShuffleConfig config = ConfigReader.read(context.conf());
    MembershipView view =
        new MembershipView(new TableSource(link, config.joinTimeout()), System::nanoTime);
    ApplicationEnd end = new ApplicationEnd();
    Optional<Object> pushAddress =
        spark.openPushEndpoint(new PushReceiver(view, end), end::driverGone);
    Place place = join(config, view, pushAddress);
    HeapOpener.Opened heap =
        new HeapOpener(config, spark.localDir()).open(place.token(), place.pe(), place.pesOfHost());
    ShuffleStats stats = new ShuffleStats();
    ShuffleRuntime runtime = startRuntime(config, heap, place, stats);
    ShuffleRuntime.install(runtime);
    if (!spark.isLocal()) {
      // In local mode the driver does both, in this very process.
      new ExecutorMetrics(stats, runtime::slabStats).register(context.metricRegistry());
      HeapCleaner.sweepInBackground(config.heapDir());
    }
    LOG.info(
        "Executor {} is PE {} with a heap of {} under {}, one of {} expected on this host",
        context.executorID(),
        place.pe(),
        new ByteSize(heap.arenaBytes()),
        heap.base(),
        place.pesOfHost());
    report(heap, place.trouble());
    return new RunningMember(runtime, heap.folder(), end, spark.isLocal());
  }

  /** Leaves the executor without SymShuffle: tasks that need it fail with the reason. */
  void giveUp(Throwable cause) {
    String reason =
        "SymShuffle could not start on executor %s: %s"
            .formatted(
                context.executorID(),
                cause instanceof HeapException ? cause.getMessage() : cause.toString());
    if (cause instanceof HeapException) {
      LOG.error(reason);
    } else {
      // Not foreseen, so whoever reads it needs to know where.
      LOG.error(reason, cause);
    }
    ShuffleRuntime.unavailable(reason);
    tell(new Report(context.executorID(), 0, "", Optional.of(reason)));
  }

  private Place join(SymShuffleConfig config, MembershipView view, Optional<Object> pushAddress)
      throws InterruptedException {
    Join join =
        new Join(
            context.executorID(),
            spark.host(),
            Runtime.getRuntime().availableProcessors(),
            spark.cores(),
            pushAddress);
    try {
      Message answer = link.ask(join, config.joinTimeout());
      if (answer instanceof Welcome(var token, var pe, var pesOfHost, var table)) {
        view.apply(table);
        return new Place(token, pe, pesOfHost, view, Optional.empty());
      }
      throw new IOException(
          "The driver answered a joining with " + answer.getClass().getSimpleName());
    } catch (IOException | TimeoutException e) {
      return alone(e);
    }
  }

  // Under a token of its own nobody finds its heap, and it takes nobody else's for a peer's.
  private Place alone(Exception cause) {
    String trouble =
        "Executor %s could not join (%s) and works alone: blocks to and from other executors travel through Spark's block transfer. If the driver is only slow, raise %s."
            .formatted(context.executorID(), cause.getMessage(), Settings.JOIN_TIMEOUT.key());
    LOG.warn(trouble);
    String self = context.executorID();
    PeTable onlySelf = id -> id.equals(self) ? OptionalInt.of(0) : OptionalInt.empty();
    int pesOfHost =
        ClusterShape.of(context.conf())
            .pesOfHost(Runtime.getRuntime().availableProcessors(), spark.cores(), 1);
    return new Place(FolderToken.random(), 0, pesOfHost, onlySelf, Optional.of(trouble));
  }

  private static ShuffleRuntime startRuntime(
      SymShuffleConfig config, HeapOpener.Opened heap, Place place, ShuffleStats stats)
      throws IOException {
    boolean started = false;
    try {
      ShuffleRuntime runtime =
          ShuffleRuntime.start(
              new ShuffleConfig(
                  Math.toIntExact(config.stagingSize().bytes()),
                  config.checksumEnabled(),
                  config.peerMapping(),
                  config.heapRetained().bytes()),
              heap.heap(),
              heap.diskFolder(),
              place.peers(),
              stats);
      started = true;
      return runtime;
    } finally {
      if (!started) {
        heap.heap().close();
      }
    }
  }

  private void report(HeapOpener.Opened heap, Optional<String> joinTrouble) {
    heap.warnings().forEach(LOG::warn);
    String trouble =
        Stream.concat(joinTrouble.stream(), heap.warnings().stream())
            .collect(Collectors.joining(" "));
    tell(
        new Report(
            context.executorID(),
            heap.arenaBytes(),
            heap.base().toString(),
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
