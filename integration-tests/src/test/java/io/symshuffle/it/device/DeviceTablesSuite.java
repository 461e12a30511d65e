// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.device.NumberedTables.Range;
import io.symshuffle.it.failure.Kills;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.failure.ReleasedMemory;
import io.symshuffle.it.failure.StartedAction;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.wait.Await;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Shuffles of the fake engine's tables through the device heaps of two executors. */
abstract class DeviceTablesSuite {

  @Test
  void bothExecutorsWriteToTheirGpuAndPullFromTheOther(SparkCluster cluster) {
    assertTablesGoThroughGpus(cluster);
    awaitEmptyHeaps(cluster);
  }

  /** As adaptive execution joins small partitions, divides large ones, and reads local ones. */
  @Test
  @Tag("full")
  void readsRangesOfPartitionsAndOfMapTasks(SparkCluster cluster) {
    readRanges(cluster);
  }

  /** Reads all rows in such ranges. */
  static void readRanges(SparkCluster cluster) {
    int maps = NumberedTables.MAPS;
    List<Range> ranges = new ArrayList<>();
    ranges.add(new Range(0, 0, Integer.MAX_VALUE, 0, 3));
    ranges.add(new Range(1, 0, 5, 3, 4));
    ranges.add(new Range(2, 5, maps, 3, 4));
    for (int map = 0; map < maps; map++) {
      ranges.add(new Range(3 + map, map, map + 1, 4, NumberedTables.PARTITIONS));
    }
    NumberedTables tables = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, NumberedRows.sumsOf(tables.read(ranges).collect()));
  }

  @Test
  @Tag("long")
  void canceledJobReleasesAllMemory(SparkCluster cluster) {
    cancel(cluster);
    awaitEmptyHeaps(cluster);
  }

  private static void cancel(SparkCluster cluster) {
    NumberedTables tables = NumberedTables.of(cluster.context(), 4, true);
    StartedAction<NumberedRows.Sums> job = StartedAction.start(cluster.context(), tables::sums);
    job.awaitTasks(1);
    job.cancel();
  }

  /** Two executors write to their GPUs, and each pulls from the other's. */
  static void assertTablesGoThroughGpus(SparkCluster cluster) {
    ExecutorGauges before = cluster.gauges();
    assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context()).sums());
    ExecutorGauges after = cluster.gauges();
    assertEquals(2, after.byExecutor().size(), after::toString);
    after
        .byExecutor()
        .forEach(
            (executor, values) -> {
              // With CUDA memory, those of dead PEs are still read.
              assertTrue(values.get("device.pes") >= 2, executor + " of " + after);
              for (String name :
                  List.of("written.device.bytes", "read.device.bytes", "read.pulled.bytes")) {
                assertTrue(values.get(name) > 0, name + " of " + executor + " of " + after);
              }
            });
    for (String name :
        List.of(
            "written.host.bytes", "written.disk.bytes", "read.transfer.bytes", "read.failures")) {
      assertEquals(before.sum(name), after.sum(name), () -> name + " of " + after);
    }
  }

  /** Kills an executor after some map tasks have ended. */
  static Kills.Outcome killInTheMapStage(SparkCluster cluster) {
    NumberedTables tables = NumberedTables.of(cluster.context(), 4, true);
    return Kills.during(cluster, 3, tables::sums, 1);
  }

  /** Kills an executor after all rows were read, and reads them again. */
  static Kills.Outcome killBetweenTheStages(SparkCluster cluster) {
    NumberedTables tables = NumberedTables.of(cluster.context());
    return Kills.betweenTheStages(cluster, tables::sums);
  }

  /** Kills an executor after some reduce tasks have ended. */
  static Kills.Outcome killInTheReduceStage(SparkCluster cluster) {
    NumberedTables tables = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, tables.sums());
    return Kills.during(cluster, 3, () -> NumberedRows.sumsOf(tables.readSlowly().collect()), 0);
  }

  /** Kills all executors; their successors must have device heaps. */
  static void assertSuccessorsOfAllHaveDeviceHeaps(SparkCluster cluster) {
    cluster.discard();
    assertTablesGoThroughGpus(cluster);
    cluster.executors().forEach(executor -> cluster.kill(executor.executorId()));
    cluster.awaitExecutors();
    assertTablesGoThroughGpus(cluster);
  }

  /**
   * Kills one of two executors; the other one and the successor, which has no device heap, must
   * continue.
   */
  static void assertContinuesAfterALoss(SparkCluster cluster) {
    cluster.discard();
    assertTablesGoThroughGpus(cluster);
    String killed = cluster.executors().getFirst().executorId();
    cluster.kill(killed);
    assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context()).sums());
    Await.until(
        "a successor uses the host heap",
        () -> {
          var now = cluster.gauges().byExecutor();
          return !now.containsKey(killed)
              && now.values().stream().anyMatch(each -> each.get("device.pes") == 0)
              && now.values().stream().anyMatch(each -> each.get("device.pes") == 2);
        });
    ExecutorGauges before = cluster.gauges();
    assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context()).sums());
    ExecutorGauges after = cluster.gauges();
    // The successor cannot read GPU memory, so there must be transfers.
    for (String name :
        List.of("written.device.bytes", "written.host.bytes", "read.transfer.bytes")) {
      assertTrue(after.sum(name) > before.sum(name), () -> name + " of " + after);
    }
  }

  /** Tables of more bytes than device heaps and host heaps have room for. */
  static void assertAllTiersAreUsed(SparkCluster cluster, int longs) {
    NumberedTables tables = NumberedTables.of(cluster.context(), longs, false);
    assertEquals(NumberedRows.EXPECTED, tables.sums());
    ExecutorGauges gauges = cluster.gauges();
    long bytes = 0;
    for (String tier : List.of("device", "host", "disk")) {
      long written = gauges.sum("written." + tier + ".bytes");
      assertTrue(written > 0, () -> tier + " of " + gauges);
      bytes += written;
      assertTrue(gauges.sum("read." + tier + ".bytes") > 0, () -> tier + " of " + gauges);
    }
    assertTrue(bytes >= (long) NumberedTables.NUMBER * longs * Long.BYTES, gauges::toString);
  }

  /** All heaps become empty when shuffles are unreachable. */
  static void awaitEmptyHeaps(SparkCluster cluster) {
    ReleasedMemory.await(cluster);
    Await.until(
        "the device heaps are empty", () -> cluster.gauges().sum("device.heap.used.bytes") == 0);
  }
}
