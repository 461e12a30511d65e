// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.codahale.metrics.MetricRegistry;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.device.DeviceStats;
import java.util.Map;
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
    Map<String, Long> expected = new TreeMap<>();
    expected.put("heap.capacity.bytes", 1000L);
    expected.put("heap.used.bytes", 300L);
    expected.put("heap.backed.bytes", 400L);
    expected.put("heap.largest.free.bytes", 600L);
    expected.put("device.pes", 4L);
    expected.put("device.heap.bytes", 2000L);
    expected.put("device.heap.used.bytes", 500L);
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
    assertEquals(expected, published());
  }

  @Test
  void publishesDriverMetrics() {
    new DriverMetrics(shuffle, () -> 2, () -> 1, () -> 2).register(registry);
    shuffle.registered();
    shuffle.delegated("one reason");
    shuffle.delegated("another");
    shuffle.delegated("another");
    assertEquals(
        Map.of(
            "pes.joined",
            2L,
            "pes.lost",
            1L,
            "pes.device",
            2L,
            "shuffles.registered",
            1L,
            "shuffles.delegated",
            3L),
        published());
  }

  private Map<String, Object> published() {
    Map<String, Object> values = new TreeMap<>();
    registry.getGauges().forEach((name, gauge) -> values.put(name, gauge.getValue()));
    return values;
  }
}
