// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import com.codahale.metrics.MetricRegistry;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.shuffle.device.DeviceStats;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * An executor's metrics.
 *
 * @param shuffle its counters, which only grow
 * @param heap returns the state of its heap
 * @param device returns the state of its device heap
 */
public record ExecutorMetrics(
    ShuffleStats shuffle, Supplier<SlabStats> heap, Supplier<DeviceStats> device) {
  private static final List<Metric<ExecutorMetrics>> GAUGES =
      List.of(
          Metric.gauge(
              "heap.capacity.bytes", "size of the heap", m -> m.heap.get().capacityBytes()),
          Metric.gauge(
              "heap.used.bytes", "heap in use by map outputs", m -> m.heap.get().usedBytes()),
          Metric.gauge(
              "heap.backed.bytes",
              "heap with memory behind it: in use, or freed and retained",
              m -> m.heap.get().backedBytes()),
          Metric.gauge(
              "heap.largest.free.bytes",
              "the largest run that fits into the heap",
              m -> m.heap.get().largestFreeBytes()),
          Metric.gauge(
              "device.pes",
              "PEs whose device heaps this one shares, including itself and lost ones; 0 without a"
                  + " device heap",
              m -> m.device.get().pes()),
          Metric.gauge(
              "device.heap.bytes", "size of the device heap", m -> m.device.get().heapBytes()),
          Metric.gauge(
              "device.heap.used.bytes",
              "device heap in use by map outputs",
              m -> m.device.get().usedBytes()),
          Metric.gauge(
              "transfer.pinned.bytes",
              "pinned memory allocated for copies of GPU tables",
              m -> PinnedPool.processBytes()));

  private static final List<Metric<ExecutorMetrics>> ALL =
      Stream.concat(
              GAUGES.stream(),
              Arrays.stream(ShuffleCounter.values())
                  .map(
                      counter ->
                          Metric.<ExecutorMetrics>counter(
                              counter.metric(),
                              counter.documentation(),
                              m -> m.shuffle.sum(counter))))
          .toList();

  /** Returns every metric of an executor, in the order of the documentation. */
  public static List<Metric<ExecutorMetrics>> all() {
    return ALL;
  }

  /** Publishes all of them. */
  public void register(MetricRegistry registry) {
    ALL.forEach(metric -> metric.register(registry, this));
  }
}
