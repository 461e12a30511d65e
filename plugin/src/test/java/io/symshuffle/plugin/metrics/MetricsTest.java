// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.shuffle.device.DeviceStats;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.TransferStep;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MetricsTest {
  private final MetricRegistry registry = new MetricRegistry();
  private final ShuffleStats shuffle = new ShuffleStats();

  @Test
  void publishesExecutorMetrics() {
    new ExecutorMetrics(
            shuffle,
            () -> new SlabStats(1000, 300, 700, 400, 600, 2),
            () -> new DeviceStats(4, 2000, 500))
        .register(registry);
    shuffle.wroteHostRun(11);
    shuffle.wroteHostRun(12);
    shuffle.wroteDiskRun(13);
    shuffle.wroteDeviceRun(14);
    shuffle.wroteDeviceRun(15);
    shuffle.published();
    shuffle.readHost(1, 21);
    shuffle.readDisk(2, 22);
    shuffle.readTransfer(3, 23);
    shuffle.readDevice(4, 24);
    shuffle.pulled(1, 5, 25);
    shuffle.pulled(2, 6, 26);
    shuffle.fetchFailed();
    shuffle.served(31);
    shuffle.compressed(32, 33);
    shuffle.staged(42, 41);
    shuffle.notStaged();
    long nanos = 100;
    for (TransferStep step : TransferStep.values()) {
      shuffle.spent(step, nanos++);
    }
    Map<String, Long> expected = new TreeMap<>();
    expected.put("heap.capacity.bytes", 1000L);
    expected.put("heap.used.bytes", 300L);
    expected.put("heap.backed.bytes", 400L);
    expected.put("heap.largest.free.bytes", 600L);
    expected.put("device.pes", 4L);
    expected.put("device.heap.bytes", 2000L);
    expected.put("device.heap.used.bytes", 500L);
    expected.put("transfer.pinned.bytes", PinnedPool.processBytes());
    expected.put("written.host.bytes", 23L);
    expected.put("written.host.runs", 2L);
    expected.put("written.device.bytes", 29L);
    expected.put("written.device.runs", 2L);
    expected.put("written.disk.bytes", 13L);
    expected.put("written.disk.runs", 1L);
    expected.put("written.map.outputs", 1L);
    expected.put("read.host.bytes", 21L);
    expected.put("read.disk.bytes", 22L);
    expected.put("read.device.bytes", 24L);
    expected.put("read.pulled.bytes", 51L);
    expected.put("read.transfer.bytes", 23L);
    expected.put("read.blocks", 21L);
    expected.put("read.failures", 1L);
    expected.put("served.bytes", 31L);
    expected.put("served.compressed.bytes", 32L);
    expected.put("served.compressed.nanos", 33L);
    expected.put("served.staged.bytes", 42L);
    expected.put("served.staged.sent.bytes", 41L);
    expected.put("served.staged.failures", 1L);
    expected.put("transfer.send.queue.nanos", 100L);
    expected.put("transfer.send.memory.nanos", 101L);
    expected.put("transfer.send.pack.nanos", 102L);
    expected.put("transfer.send.copy.nanos", 103L);
    expected.put("transfer.send.wait.nanos", 104L);
    expected.put("transfer.receive.network.nanos", 105L);
    expected.put("transfer.receive.copy.nanos", 106L);
    expected.put("transfer.receive.gpu.nanos", 107L);
    expected.put("transfer.receive.unpack.nanos", 108L);
    assertEquals(expected, published());
  }

  @Test
  void publishesDriverMetrics() {
    new DriverMetrics(
            shuffle, () -> 2, () -> 1, () -> 2, () -> new HeapUse(51, 52, 53, 54, 55, 56, 57, 58))
        .register(registry);
    shuffle.registered();
    shuffle.delegated("one reason");
    shuffle.delegated("another");
    shuffle.delegated("another");
    Map<String, Long> expected = new TreeMap<>();
    expected.put("pes.joined", 2L);
    expected.put("pes.lost", 1L);
    expected.put("pes.device", 2L);
    expected.put("pes.heap.capacity.bytes", 51L);
    expected.put("pes.heap.used.bytes", 52L);
    expected.put("pes.heap.backed.bytes", 53L);
    expected.put("pes.device.heap.bytes", 54L);
    expected.put("pes.device.heap.used.bytes", 55L);
    expected.put("pes.written.disk.bytes", 56L);
    expected.put("pes.served.bytes", 57L);
    expected.put("pes.read.failures", 58L);
    expected.put("shuffles.registered", 1L);
    expected.put("shuffles.delegated", 3L);
    assertEquals(expected, published());
  }

  @Test
  void numbersThatOnlyGrowAreCounters() {
    new ExecutorMetrics(
            shuffle,
            () -> new SlabStats(1000, 300, 700, 400, 600, 2),
            () -> new DeviceStats(4, 2000, 500))
        .register(registry);
    shuffle.wroteDiskRun(13);
    assertEquals(13, registry.counter("written.disk.bytes").getCount());
    shuffle.wroteDiskRun(4);
    assertEquals(17, registry.counter("written.disk.bytes").getCount());
    assertEquals(
        Set.of(
            "heap.capacity.bytes",
            "heap.used.bytes",
            "heap.backed.bytes",
            "heap.largest.free.bytes",
            "device.pes",
            "device.heap.bytes",
            "device.heap.used.bytes",
            "transfer.pinned.bytes"),
        registry.getGauges().keySet());
  }

  @Test
  void othersCannotChangeACounter() {
    new DriverMetrics(shuffle, () -> 2, () -> 1, () -> 2, () -> HeapUse.NONE).register(registry);
    Counter counter = registry.counter("shuffles.registered");
    assertThrows(UnsupportedOperationException.class, counter::inc);
    assertThrows(UnsupportedOperationException.class, counter::dec);
    assertEquals(0, counter.getCount());
  }

  private Map<String, Object> published() {
    Map<String, Object> values = new TreeMap<>();
    registry.getGauges().forEach((name, gauge) -> values.put(name, gauge.getValue()));
    registry.getCounters().forEach((name, counter) -> values.put(name, counter.getCount()));
    return values;
  }
}
