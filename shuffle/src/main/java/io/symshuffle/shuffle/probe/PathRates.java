// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.probe;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures once how fast the network from this executor to each other one is, and reports what is
 * far slower than usual: a route over the wrong network, a link that has fallen back.
 *
 * <p>Measurements wait until no task reads a shuffle, and run one after the other on a background
 * thread, at most one per second. A way that finds no such moment is not measured. Thread-safe; one
 * per executor.
 */
public final class PathRates implements AutoCloseable {
  /** Times that a way is used until it is fast enough, since others may use it meanwhile. */
  static final int ROUNDS = 5;

  /** More ways are not measured, so that large clusters do not exchange probes only. */
  static final int MAX_WAYS = 256;

  /** Slow is less: 0.1 GB/s are usual over 1 Gbit/s, and 0.01 over a link that has fallen back. */
  static final long LEAST_BYTES_PER_SECOND = 20_000_000L;

  /** Bytes that come from an executor before the way is measured: 32 times those of a probe. */
  static final long LEAST_FETCHED = 32L * NetworkProbe.BYTES;

  private static final int END_SECONDS = 5;
  private static final Logger LOG = LoggerFactory.getLogger(PathRates.class);

  private static final AtomicReference<Consumer<String>> DRIVER =
      new AtomicReference<>(sentence -> {});

  private final BooleanSupplier idle;
  private final Function<BlockManagerId, Way> ways;
  private final LongSupplier nanoClock;
  private final Consumer<String> driver;
  private final ShuffleStats stats;
  private final Map<BlockManagerId, AtomicLong> fetched = new ConcurrentHashMap<>();
  private final Queue<BlockManagerId> waiting = new ConcurrentLinkedQueue<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("symshuffle-path-rates"));

  /** A way to another executor. */
  @FunctionalInterface
  interface Way {
    /** Moves some bytes and waits for them; returns how many. */
    long move() throws IOException, InterruptedException, TimeoutException;
  }

  private PathRates(ShuffleRuntime runtime) {
    this(
        () -> runtime.leases().size() == 0,
        address -> new NetworkProbe(SparkEnv.get().blockManager().blockStoreClient(), address),
        sentence -> DRIVER.get().accept(sentence),
        runtime.stats(),
        System::nanoTime);
    var unused = thread.scheduleWithFixedDelay(this::measureNext, 1, 1, TimeUnit.SECONDS);
  }

  /**
   * Measures only when {@link #measureNext} is called.
   *
   * @param idle whether nothing would be in the way
   * @param ways how to reach an executor
   * @param driver told of each slow way, with a sentence
   */
  PathRates(
      BooleanSupplier idle,
      Function<BlockManagerId, Way> ways,
      Consumer<String> driver,
      ShuffleStats stats,
      LongSupplier nanoClock) {
    this.idle = idle;
    this.ways = ways;
    this.driver = driver;
    this.stats = stats;
    this.nanoClock = nanoClock;
  }

  /** {@return those of an executor} */
  public static PathRates of(ShuffleRuntime runtime) {
    return runtime.shared(PathRates.class, () -> new PathRates(runtime));
  }

  /** Sets who is told of slow ways of this process. */
  public static void onSlow(Consumer<String> driver) {
    DRIVER.set(driver);
  }

  /**
   * A task fetches blocks from an executor through Spark's block transfer. Probes would be most of
   * what small jobs send.
   *
   * @param bytes their size, as Spark's tracker estimates it
   */
  public void fetch(BlockManagerId from, long bytes) {
    if (fetched.size() >= MAX_WAYS && !fetched.containsKey(from)) {
      return; // no further way is measured, and executors may come and go for months
    }
    long all = fetched.computeIfAbsent(from, unused -> new AtomicLong()).addAndGet(bytes);
    if (all >= LEAST_FETCHED && all - bytes < LEAST_FETCHED) {
      waiting.add(from);
    }
  }

  /** Measures the next way, if nothing would be in its way. */
  void measureNext() {
    if (waiting.isEmpty() || !idle.getAsBoolean()) {
      return;
    }
    BlockManagerId peer = waiting.remove();
    try {
      Way way = ways.apply(peer);
      long best = 0;
      for (int round = 0; round < ROUNDS && best < LEAST_BYTES_PER_SECOND; round++) {
        long start = nanoClock.getAsLong();
        long bytes = way.move();
        long nanos = Math.max(1, nanoClock.getAsLong() - start);
        best = Math.max(best, (long) (bytes * 1e9 / nanos));
      }
      measured(peer, best);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the executor shuts down
    } catch (IOException | TimeoutException | RuntimeException e) {
      // Reads will report what is wrong.
      LOG.debug("The way to {} is not measured: {}", peer, e.toString());
    }
  }

  private void measured(BlockManagerId peer, long bytesPerSecond) {
    stats.add(ShuffleCounter.PATHS_MEASURED, 1);
    LOG.debug("Network to {}: {} MB/s", peer, bytesPerSecond / 1_000_000);
    if (bytesPerSecond < LEAST_BYTES_PER_SECOND) {
      stats.add(ShuffleCounter.PATHS_SLOW, 1);
      String sentence =
          "The network to executor %s on %s is slow: %.1f MB/s, where at least %d are usual. See slow-path in docs/troubleshooting.md."
              .formatted(
                  peer.executorId(),
                  peer.hostPort(),
                  bytesPerSecond / 1e6,
                  LEAST_BYTES_PER_SECOND / 1_000_000);
      LOG.warn(sentence);
      driver.accept(sentence);
    }
  }

  /** Ends, and waits for a measurement that is running. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("Still measuring the network to another executor after {} s", END_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
