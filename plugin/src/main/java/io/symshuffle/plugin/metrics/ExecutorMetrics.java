// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static java.util.Objects.requireNonNull;

import com.codahale.metrics.MetricRegistry;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.device.DeviceStats;
import java.util.List;
import java.util.function.Supplier;

/**
 * An executor's metrics.
 *
 * @param shuffle its counters, which only grow
 * @param heap returns the state of its heap
 * @param device returns the state of its device heap
 */
public record ExecutorMetrics(
    ShuffleStats shuffle, Supplier<SlabStats> heap, Supplier<DeviceStats> device) {
  private static final List<Metric<ExecutorMetrics>> ALL =
      List.of(
          new Metric<>(
              "heap.capacity.bytes", "size of the heap", m -> m.heap.get().capacityBytes()),
          new Metric<>(
              "heap.used.bytes", "heap in use by map outputs", m -> m.heap.get().usedBytes()),
          new Metric<>(
              "heap.backed.bytes",
              "heap with memory behind it: in use, or freed and retained",
              m -> m.heap.get().backedBytes()),
          new Metric<>(
              "heap.largest.free.bytes",
              "the largest run that fits into the heap",
              m -> m.heap.get().largestFreeBytes()),
          new Metric<>(
              "device.pes",
              "PEs that started their device heaps together with this one, including itself; 0"
                  + " without a device heap",
              m -> m.device.get().pes()),
          new Metric<>(
              "device.heap.bytes", "size of the device heap", m -> m.device.get().heapBytes()),
          new Metric<>(
              "device.heap.used.bytes",
              "device heap in use by map outputs",
              m -> m.device.get().usedBytes()),
          new Metric<>(
              "written.host.bytes",
              "bytes written to the HOST tier",
              m -> m.shuffle.hostBytesWritten()),
          new Metric<>(
              "written.host.runs",
              "runs written to the HOST tier",
              m -> m.shuffle.hostRunsWritten()),
          new Metric<>(
              "written.device.bytes",
              "bytes written to the DEVICE tier",
              m -> m.shuffle.deviceBytesWritten()),
          new Metric<>(
              "written.device.runs",
              "runs written to the DEVICE tier",
              m -> m.shuffle.deviceRunsWritten()),
          new Metric<>(
              "written.disk.bytes",
              "bytes written to the DISK tier because the heap was full",
              m -> m.shuffle.diskBytesWritten()),
          new Metric<>(
              "written.disk.runs",
              "runs written to the DISK tier",
              m -> m.shuffle.diskRunsWritten()),
          new Metric<>(
              "written.map.outputs", "map outputs published", m -> m.shuffle.mapOutputsPublished()),
          new Metric<>(
              "read.host.bytes",
              "bytes read in place from heaps of this host",
              m -> m.shuffle.hostBytesRead()),
          new Metric<>(
              "read.disk.bytes",
              "bytes read in place from the DISK tier of this host",
              m -> m.shuffle.diskBytesRead()),
          new Metric<>(
              "read.device.bytes",
              "bytes read from the device heap of this executor's GPU",
              m -> m.shuffle.deviceBytesRead()),
          new Metric<>(
              "read.pulled.bytes",
              "bytes that kernels read from the device heaps of other GPUs",
              m -> m.shuffle.pulledBytes()),
          new Metric<>(
              "read.transfer.bytes",
              "bytes read through Spark's block transfer, mostly from other hosts",
              m -> m.shuffle.transferBytesRead()),
          new Metric<>("read.blocks", "blocks read in any way", m -> m.shuffle.blocksRead()),
          new Metric<>(
              "read.failures", "blocks that could not be read", m -> m.shuffle.fetchFailures()),
          new Metric<>(
              "served.bytes",
              "bytes sent to other executors through Spark's block transfer, as they travel",
              m -> m.shuffle.bytesServed()),
          new Metric<>(
              "served.compressed.bytes",
              "bytes compressed for other hosts, before compression",
              m -> m.shuffle.bytesCompressed()),
          new Metric<>(
              "served.compressed.nanos",
              "time that threads spent on compression",
              m -> m.shuffle.compressionNanos()));

  /** Checks that no source is null. */
  public ExecutorMetrics {
    requireNonNull(shuffle, "shuffle is null");
    requireNonNull(heap, "heap is null");
    requireNonNull(device, "device is null");
  }

  /**
   * Returns the table.
   *
   * @return every metric of an executor, in the order of the documentation
   */
  public static List<Metric<ExecutorMetrics>> all() {
    return ALL;
  }

  /**
   * Publishes all of them.
   *
   * @param registry Spark's
   */
  public void register(MetricRegistry registry) {
    ALL.forEach(metric -> metric.register(registry, this));
  }
}
