// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.probe;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures once how fast each way from this executor to another one is, and reports those that are
 * far slower than their kind: a route over the wrong network, a link that has fallen back, GPUs
 * that reach each other through a bridge.
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

  private static final int END_SECONDS = 5;
  private static final Logger LOG = LoggerFactory.getLogger(PathRates.class);

  private final BooleanSupplier idle;
  private final LongSupplier nanoClock;
  private final Consumer<String> driver;
  private final ShuffleStats stats;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final Queue<Probe> waiting = new ConcurrentLinkedQueue<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("symshuffle-path-rates"));

  /** The kind of a way. */
  public enum Kind {
    /** One GPU reads the memory of another: 20 GB/s over PCIe, 300 over NVLink. */
    GPU("GPU memory", 2_000_000_000L),

    /** Processes of a host read the same memory: 5 GB/s and more. */
    SHARED_MEMORY("shared memory", 500_000_000L),

    /** Spark's block transfer: 0.1 GB/s over 1 Gbit/s, 0.01 over a link that has fallen back. */
    NETWORK("the network", 20_000_000L);

    private final String words;
    private final long leastBytesPerSecond;

    Kind(String words, long leastBytesPerSecond) {
      this.words = words;
      this.leastBytesPerSecond = leastBytesPerSecond;
    }

    /** {@return what is far below the rate of this kind, in bytes per second} */
    long leastBytesPerSecond() {
      return leastBytesPerSecond;
    }
  }

  /** A way to another executor. */
  @FunctionalInterface
  public interface Way {
    /** Moves some bytes and waits for them; returns how many, 0 if that is not possible now. */
    long move() throws IOException, InterruptedException, TimeoutException;
  }

  private record Probe(Kind kind, String peer, Way way) {}

  /**
   * @param idle whether nothing would be in the way
   * @param driver told of each slow way, with a sentence
   */
  PathRates(BooleanSupplier idle, Consumer<String> driver, ShuffleStats stats) {
    this(idle, driver, stats, System::nanoTime);
    var unused = thread.scheduleWithFixedDelay(this::measureNext, 1, 1, TimeUnit.SECONDS);
  }

  /** Measures only when {@link #measureNext} is called. */
  PathRates(
      BooleanSupplier idle, Consumer<String> driver, ShuffleStats stats, LongSupplier nanoClock) {
    this.idle = idle;
    this.driver = driver;
    this.stats = stats;
    this.nanoClock = nanoClock;
  }

  /**
   * Notes that this executor uses a way; returns immediately.
   *
   * @param way called later, unless the way is known
   */
  void use(Kind kind, String peer, Way way) {
    if (known.size() < MAX_WAYS && known.add(kind + " " + peer)) {
      waiting.add(new Probe(kind, peer, way));
    }
  }

  /** Measures the next way, if nothing would be in its way. */
  void measureNext() {
    if (waiting.isEmpty() || !idle.getAsBoolean()) {
      return;
    }
    Probe probe = waiting.remove();
    try {
      long best = 0;
      for (int round = 0; round < ROUNDS && best < probe.kind.leastBytesPerSecond; round++) {
        long start = nanoClock.getAsLong();
        long bytes = probe.way.move();
        long nanos = Math.max(1, nanoClock.getAsLong() - start);
        best = Math.max(best, (long) (bytes * 1e9 / nanos));
      }
      if (best > 0) {
        measured(probe, best);
      } else {
        known.remove(probe.kind + " " + probe.peer); // at its next use
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the executor shuts down
    } catch (IOException | TimeoutException | RuntimeException | InternalError e) {
      // Java throws InternalError for a missing page. Reads will report what is wrong.
      LOG.debug("The way to {} is not measured: {}", probe.peer, e.toString());
    }
  }

  private void measured(Probe probe, long bytesPerSecond) {
    boolean slow = bytesPerSecond < probe.kind.leastBytesPerSecond;
    stats.add(ShuffleCounter.PATHS_MEASURED, 1);
    LOG.debug("{} to {}: {} MB/s", probe.kind, probe.peer, bytesPerSecond / 1_000_000);
    if (slow) {
      stats.add(ShuffleCounter.PATHS_SLOW, 1);
      String sentence =
          "The way to %s over %s is slow: %.1f MB/s, where at least %d are usual. See slow-path in docs/troubleshooting.md."
              .formatted(
                  probe.peer,
                  probe.kind.words,
                  bytesPerSecond / 1e6,
                  probe.kind.leastBytesPerSecond / 1_000_000);
      LOG.warn(sentence);
      driver.accept(sentence);
    }
  }

  /** Ends, and waits for a measurement that is running, since it reads memory of others. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("A way to another executor is still measured after {} s", END_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
