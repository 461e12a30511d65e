// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.SlabStats;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.core.ShuffleUsage;
import io.symshuffle.shuffle.device.DeviceTier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at an executor's counters once a second and tells the driver what changed: at once when no
 * task runs, so that a short job shows, else every {@value #BUSY_SECONDS} seconds.
 */
final class UsageReporter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UsageReporter.class);
  private static final int BUSY_SECONDS = 5;

  private final String executorId;
  private final Supplier<Optional<ShuffleRuntime>> runtime;
  private final Supplier<Boolean> busy;
  private final long linkBytesPerSecond;
  private final Consumer<Object[]> driver;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("symshuffle-usage").factory());

  // All below is the thread's alone.
  private final Map<Integer, Long> told = new HashMap<>();
  private HeapUse toldHeap = HeapUse.NONE;
  private int quiet;

  /**
   * Makes a reporter.
   *
   * @param runtime what is looked at; empty before the executor has started
   * @param busy whether tasks run
   * @param linkBytesPerSecond what the links of its GPU carry one way; 0 when not known
   * @param driver takes what is to be sent; may throw
   */
  UsageReporter(
      String executorId,
      Supplier<Optional<ShuffleRuntime>> runtime,
      Supplier<Boolean> busy,
      long linkBytesPerSecond,
      Consumer<Object[]> driver) {
    this.executorId = requireNonNull(executorId, "executorId is null");
    this.runtime = requireNonNull(runtime, "runtime is null");
    this.busy = requireNonNull(busy, "busy is null");
    this.linkBytesPerSecond = linkBytesPerSecond;
    this.driver = requireNonNull(driver, "driver is null");
  }

  void start() {
    var _ = thread.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  private void look() {
    try {
      quiet++;
      if (quiet >= BUSY_SECONDS || !busy.get()) {
        runtime.get().ifPresent(this::report);
      }
    } catch (RuntimeException e) {
      // A page in the UI is not worth a warning a second.
      LOG.debug("The driver was not told what this executor does", e);
    }
  }

  private void report(ShuffleRuntime current) {
    HeapUse heap = heap(current);
    List<ShuffleUse> changed = changed(current.stats().usage());
    if (changed.isEmpty() && heap.equals(toldHeap)) {
      return;
    }
    driver.accept(
        new UsageReport(
                executorId,
                System.currentTimeMillis(),
                gpu(current),
                heap,
                new GpuLink(linkBytesPerSecond, current.stats().pulledByPe()),
                changed)
            .toWire());
    changed.forEach(use -> told.put(use.shuffleId(), use.activity()));
    toldHeap = heap;
    quiet = 0;
  }

  private List<ShuffleUse> changed(ShuffleUsage usage) {
    told.keySet().retainAll(usage.all().keySet());
    List<ShuffleUse> changed = new ArrayList<>();
    for (Map.Entry<Integer, ShuffleUsage.OfShuffle> entry : usage.all().entrySet()) {
      ShuffleUse use = ShuffleUse.of(entry.getKey(), entry.getValue());
      if (use.activity() != told.getOrDefault(entry.getKey(), 0L)) {
        changed.add(use);
      }
      if (changed.size() == UsageReport.MOST_SHUFFLES) {
        break;
      }
    }
    return changed;
  }

  private static HeapUse heap(ShuffleRuntime runtime) {
    SlabStats slabs = runtime.slabStats();
    ShuffleStats stats = runtime.stats();
    Optional<SlabStats> device = runtime.device().map(tier -> tier.slabs().stats());
    return new HeapUse(
        slabs.capacityBytes(),
        slabs.usedBytes(),
        slabs.backedBytes(),
        device.map(SlabStats::capacityBytes).orElse(0L),
        device.map(SlabStats::usedBytes).orElse(0L),
        stats.diskBytesWritten(),
        stats.bytesServed(),
        stats.fetchFailures());
  }

  private static String gpu(ShuffleRuntime runtime) {
    return runtime.device().map(DeviceTier::context).map(c -> c.device().name()).orElse("");
  }
}
