// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import com.codahale.metrics.MetricRegistry;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.shuffle.runtime.FetchFailureKind;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The driver's metrics.
 *
 * @param shuffle the driver's counters
 * @param joinedPes counts PEs that are alive
 * @param lostPes counts PEs whose executors Spark removed
 * @param devicePes counts PEs with device heaps
 * @param use adds up what the executors last reported; counters include executors that are gone
 */
public record DriverMetrics(
    ShuffleStats shuffle,
    IntSupplier joinedPes,
    IntSupplier lostPes,
    IntSupplier devicePes,
    Supplier<HeapUse> use) {
  private static final List<Metric<DriverMetrics>> OWN =
      List.of(
          Metric.gauge("pes.joined", "PEs that are alive", m -> m.joinedPes.getAsInt()),
          Metric.gauge("pes.lost", "PEs whose executors Spark removed", m -> m.lostPes.getAsInt()),
          Metric.gauge(
              "pes.device",
              "PEs that have started device heaps, including those lost since",
              m -> m.devicePes.getAsInt()),
          Metric.gauge(
              "pes.heap.capacity.bytes",
              "size of the heaps of all PEs that are alive",
              m -> m.use.get().capacityBytes()),
          Metric.gauge(
              "pes.heap.used.bytes",
              "their heaps in use by map outputs",
              m -> m.use.get().usedBytes()),
          Metric.gauge(
              "pes.heap.backed.bytes",
              "their heaps with memory behind them",
              m -> m.use.get().backedBytes()),
          Metric.gauge(
              "pes.device.heap.bytes",
              "size of their device heaps",
              m -> m.use.get().deviceCapacityBytes()),
          Metric.gauge(
              "pes.device.heap.used.bytes",
              "their device heaps in use by map outputs",
              m -> m.use.get().deviceUsedBytes()),
          Metric.counter(
              "pes.written.disk.bytes",
              "bytes that all PEs, including lost ones, wrote to the DISK tier",
              m -> m.use.get().diskBytes()),
          Metric.counter(
              "pes.served.bytes",
              "bytes that they sent through Spark's block transfer",
              m -> m.use.get().servedBytes()),
          Metric.counter(
              "shuffles.registered",
              "shuffles that use the symmetric heap",
              m -> m.shuffle.shufflesRegistered()),
          Metric.counter(
              "shuffles.delegated",
              "shuffles that use Spark's sort shuffle; the driver logs each reason once",
              m -> m.shuffle.delegatedByReason().values().stream().mapToLong(n -> n).sum()),
          Metric.counter(
              "pes.read.failures",
              "blocks that they could not read",
              m -> m.use.get().fetchFailures().values().stream().mapToLong(Long::longValue).sum()));

  private static final List<Metric<DriverMetrics>> ALL =
      Stream.concat(
              OWN.stream(),
              Arrays.stream(FetchFailureKind.values())
                  .map(
                      kind ->
                          Metric.<DriverMetrics>counter(
                              "pes." + kind.counter().metric(),
                              kind.counter().documentation(),
                              m -> m.use.get().fetchFailures().getOrDefault(kind.name(), 0L))))
          .toList();

  /** Returns every metric of the driver, in the order of the documentation. */
  public static List<Metric<DriverMetrics>> all() {
    return ALL;
  }

  /** Publishes all of them. */
  public void register(MetricRegistry registry) {
    ALL.forEach(metric -> metric.register(registry, this));
  }
}
