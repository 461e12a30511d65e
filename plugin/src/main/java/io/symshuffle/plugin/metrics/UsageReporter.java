// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.metrics;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.ShuffleUse;
import io.symshuffle.plugin.usage.UsageReport;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.runtime.FetchFailureKind;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.ShuffleUsage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports an executor's counters to the driver when they have changed: within a second if no task
 * runs, so that a short job shows, otherwise every {@value #BUSY_SECONDS} seconds. What has not
 * changed is reported every {@value #IDLE_SECONDS} seconds, since the driver answers a report with
 * what the executor has missed.
 */
public final class UsageReporter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UsageReporter.class);
  private static final int BUSY_SECONDS = 5;
  private static final int IDLE_SECONDS = 30;

  private final String executorId;
  private final Supplier<Optional<ShuffleRuntime>> runtime;
  private final BooleanSupplier busy;
  private final String backend;
  private final long linkBytesPerSecond;
  private final Consumer<UsageReport> driver;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("symshuffle-usage"));

  // Confined to the thread.
  private final Map<Integer, Long> reported = new HashMap<>();
  private HeapUse reportedHeap = HeapUse.NONE;

  /** Seconds since the last report. */
  private int quiet;

  /**
   * @param runtime the executor's runtime; empty after it has stopped
   * @param busy whether tasks run
   * @param backend whose memory the device heap is, and why; empty without a device heap
   * @param linkBytesPerSecond what the NVLinks of its GPU can carry in one direction; 0 if unknown
   * @param driver sends a report; may throw
   */
  public UsageReporter(
      String executorId,
      Supplier<Optional<ShuffleRuntime>> runtime,
      BooleanSupplier busy,
      String backend,
      long linkBytesPerSecond,
      Consumer<UsageReport> driver) {
    this.executorId = executorId;
    this.runtime = runtime;
    this.busy = busy;
    this.backend = backend;
    this.linkBytesPerSecond = linkBytesPerSecond;
    this.driver = driver;
  }

  /** Starts to report. */
  public void start() {
    var unused = thread.scheduleWithFixedDelay(this::reportIfDue, 1, 1, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  /** Called every second. */
  void reportIfDue() {
    try {
      quiet++;
      if (quiet >= BUSY_SECONDS || !busy.getAsBoolean()) {
        runtime.get().ifPresent(this::report);
      }
    } catch (RuntimeException e) {
      // The UI is not worth a warning per second.
      LOG.debug("Reporting to the driver failed", e);
    }
  }

  private void report(ShuffleRuntime current) {
    HeapUse heap = heap(current);
    List<ShuffleUse> changed = changed(current.stats().usage());
    if (changed.isEmpty() && heap.equals(reportedHeap) && quiet < IDLE_SECONDS) {
      return;
    }
    driver.accept(
        new UsageReport(
            executorId,
            System.currentTimeMillis(),
            gpu(current),
            linkBytesPerSecond,
            heap,
            changed));
    changed.forEach(use -> reported.put(use.shuffleId(), use.activity()));
    reportedHeap = heap;
    quiet = 0;
  }

  private List<ShuffleUse> changed(ShuffleUsage usage) {
    reported.keySet().retainAll(usage.all().keySet());
    List<ShuffleUse> changed = new ArrayList<>();
    for (Map.Entry<Integer, ShuffleUsage.OfShuffle> entry : usage.all().entrySet()) {
      ShuffleUse use = use(entry.getKey(), entry.getValue());
      if (use.activity() != reported.getOrDefault(entry.getKey(), 0L)) {
        changed.add(use);
      }
      if (changed.size() == UsageReport.MAX_SHUFFLES) {
        break;
      }
    }
    return changed;
  }

  private static ShuffleUse use(int shuffleId, ShuffleUsage.OfShuffle usage) {
    Long[] bytes = new Long[Tier.values().length];
    Long[] runs = new Long[Tier.values().length];
    for (Tier tier : Tier.values()) {
      bytes[tier.code()] = usage.bytes(tier);
      runs[tier.code()] = usage.runs(tier);
    }
    return new ShuffleUse(
        shuffleId,
        List.of(bytes),
        List.of(runs),
        usage.mapOutputs(),
        usage.inPlace(),
        usage.transferred());
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
        stats.sum(ShuffleCounter.DISK_BYTES_WRITTEN),
        stats.sum(ShuffleCounter.BYTES_SERVED),
        Arrays.stream(FetchFailureKind.values())
            .collect(Collectors.toMap(Enum::name, kind -> stats.sum(kind.counter()))));
  }

  private String gpu(ShuffleRuntime runtime) {
    return runtime
        .device()
        .map(DeviceTier::context)
        .map(context -> context.device().name() + ", " + backend)
        .orElse("");
  }
}
