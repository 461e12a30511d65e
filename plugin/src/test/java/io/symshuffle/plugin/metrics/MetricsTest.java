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
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.util.EnumSet;
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
            shuffle, () -> new SlabStats(1000, 300, 400, 600), () -> new DeviceStats(4, 2000, 500))
        .register(registry);
    shuffle.wrote(7, Tier.HOST, 11);
    shuffle.wrote(7, Tier.HOST, 12);
    shuffle.wrote(7, Tier.DISK, 13);
    shuffle.wrote(7, Tier.DEVICE, 14);
    shuffle.wrote(7, Tier.DEVICE, 15);
    shuffle.published(7);
    shuffle.read(Tier.HOST, 1, 21);
    shuffle.read(Tier.DISK, 2, 22);
    shuffle.readTransfer(3, 23);
    shuffle.read(Tier.DEVICE, 4, 24);
    shuffle.pulled(5, 25);
    shuffle.pulled(6, 26);
    shuffle.add(ShuffleCounter.FETCH_FAILURES, 1);
    long failures = 61;
    for (ShuffleCounter counter :
        EnumSet.range(ShuffleCounter.FETCHES_DAMAGED, ShuffleCounter.FETCHES_TRANSFER)) {
      shuffle.add(counter, failures++);
    }
    shuffle.add(ShuffleCounter.BYTES_SERVED, 31);
    shuffle.add(ShuffleCounter.BYTES_COMPRESSED, 32);
    shuffle.add(ShuffleCounter.COMPRESSION_NANOS, 33);
    shuffle.add(ShuffleCounter.BYTES_STAGED, 42);
    shuffle.add(ShuffleCounter.STAGED_BYTES_SENT, 41);
    shuffle.add(ShuffleCounter.BLOCKS_NOT_STAGED, 1);
    long nanos = 100;
    for (ShuffleCounter counter :
        EnumSet.range(ShuffleCounter.SEND_QUEUE_NANOS, ShuffleCounter.RECEIVE_UNPACK_NANOS)) {
      shuffle.add(counter, nanos++);
    }
    shuffle.add(ShuffleCounter.PACKED_BYTES, 71);
    shuffle.add(ShuffleCounter.PACKED_BYTES_STORED, 72);
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
    expected.put("written.packed.bytes", 71L);
    expected.put("written.packed.stored.bytes", 72L);
    expected.put("written.map.outputs", 1L);
    expected.put("read.host.bytes", 21L);
    expected.put("read.disk.bytes", 22L);
    expected.put("read.device.bytes", 24L);
    expected.put("read.pulled.bytes", 51L);
    expected.put("read.transfer.bytes", 23L);
    expected.put("read.blocks", 21L);
    expected.put("read.failures", 1L);
    expected.put("read.failures.damaged", 61L);
    expected.put("read.failures.unreadable", 62L);
    expected.put("read.failures.missing", 63L);
    expected.put("read.failures.owner.lost", 64L);
    expected.put("read.failures.transfer", 65L);
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
    // The others only grow: they are counters.
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
  void publishesDriverMetrics() {
    Map<String, Long> failures =
        Map.of("DAMAGED", 1L, "UNREADABLE", 2L, "MISSING", 4L, "OWNER_LOST", 8L, "TRANSFER", 16L);
    new DriverMetrics(
            shuffle,
            () -> 2,
            () -> 1,
            () -> 2,
            () -> new HeapUse(51, 52, 53, 54, 55, 56, 57, failures))
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
    expected.put("pes.read.failures", 31L);
    expected.put("pes.read.failures.damaged", 1L);
    expected.put("pes.read.failures.unreadable", 2L);
    expected.put("pes.read.failures.missing", 4L);
    expected.put("pes.read.failures.owner.lost", 8L);
    expected.put("pes.read.failures.transfer", 16L);
    expected.put("shuffles.registered", 1L);
    expected.put("shuffles.delegated", 3L);
    assertEquals(expected, published());
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
