// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static java.util.Objects.requireNonNull;

import com.codahale.metrics.MetricRegistry;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.shuffle.device.DeviceStats;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.TransferStep;
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
  private static final List<Metric<ExecutorMetrics>> SHUFFLE =
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
              "pinned memory allocated for tables between hosts",
              m -> PinnedPool.processBytes()),
          Metric.counter(
              "written.host.bytes",
              "bytes written to the HOST tier",
              m -> m.shuffle.hostBytesWritten()),
          Metric.counter(
              "written.host.runs",
              "runs written to the HOST tier",
              m -> m.shuffle.hostRunsWritten()),
          Metric.counter(
              "written.device.bytes",
              "bytes written to the DEVICE tier",
              m -> m.shuffle.deviceBytesWritten()),
          Metric.counter(
              "written.device.runs",
              "runs written to the DEVICE tier",
              m -> m.shuffle.deviceRunsWritten()),
          Metric.counter(
              "written.disk.bytes",
              "bytes written to the DISK tier because the heap was full",
              m -> m.shuffle.diskBytesWritten()),
          Metric.counter(
              "written.disk.runs",
              "runs written to the DISK tier",
              m -> m.shuffle.diskRunsWritten()),
          Metric.counter(
              "written.map.outputs", "map outputs published", m -> m.shuffle.mapOutputsPublished()),
          Metric.counter(
              "read.host.bytes",
              "bytes read in place from heaps of this host",
              m -> m.shuffle.hostBytesRead()),
          Metric.counter(
              "read.disk.bytes",
              "bytes read in place from the DISK tier of this host",
              m -> m.shuffle.diskBytesRead()),
          Metric.counter(
              "read.device.bytes",
              "bytes read from the device heap of this executor's GPU",
              m -> m.shuffle.deviceBytesRead()),
          Metric.counter(
              "read.pulled.bytes",
              "bytes that kernels read from the device heaps of other GPUs",
              m -> m.shuffle.pulledBytes()),
          Metric.counter(
              "read.transfer.bytes",
              "bytes read through Spark's block transfer, mostly from other hosts",
              m -> m.shuffle.transferBytesRead()),
          Metric.counter("read.blocks", "blocks read in any way", m -> m.shuffle.blocksRead()),
          Metric.counter(
              "read.failures", "blocks that could not be read", m -> m.shuffle.fetchFailures()),
          Metric.counter(
              "served.bytes",
              "bytes sent to other executors through Spark's block transfer, as they travel",
              m -> m.shuffle.bytesServed()),
          Metric.counter(
              "served.compressed.bytes",
              "bytes compressed for other hosts, before compression",
              m -> m.shuffle.bytesCompressed()),
          Metric.counter(
              "served.compressed.nanos",
              "time that threads spent on compression",
              m -> m.shuffle.compressionNanos()),
          Metric.counter(
              "served.staged.bytes",
              "bytes of tables that the GPU copied to pinned memory for other hosts",
              m -> m.shuffle.bytesStaged()),
          Metric.counter(
              "served.staged.sent.bytes",
              "the same tables as they travel: packed, if that makes them smaller",
              m -> m.shuffle.stagedBytesSent()),
          Metric.counter(
              "served.staged.failures",
              "blocks with tables in GPU memory that found no pinned memory, or whose copy failed,"
                  + " and were sent another way",
              m -> m.shuffle.blocksNotStaged()));

  private static final List<Metric<ExecutorMetrics>> ALL =
      Stream.concat(
              SHUFFLE.stream(),
              Arrays.stream(TransferStep.values())
                  .map(
                      step ->
                          Metric.<ExecutorMetrics>counter(
                              "transfer.%s.nanos".formatted(step.metric()),
                              "time, summed over threads: " + step.documentation(),
                              m -> m.shuffle.transferNanos(step))))
          .toList();

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
