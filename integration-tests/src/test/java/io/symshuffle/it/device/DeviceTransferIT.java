// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.wait.Await;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables of executors that do not see each other's memory, as if they were on different hosts: GPUs
 * pack and unpack them, on fakes of the CUDA driver.
 */
@ExtendWith(FakeGpus.class)
@SparkTest(
    conf = {
      FakeTablesPlugin.SETTING,
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.backend=cuda",
      "spark.symshuffle.device.heap.size=256m",
      "spark.symshuffle.read.peerMapping=false",
      "spark.executorEnv.LD_LIBRARY_PATH=${" + FakeGpus.CUDA_FOLDER + "}"
    })
class DeviceTransferIT {
  @Test
  void gpusPackTablesForOtherExecutors(SparkCluster cluster) {
    assertTablesTravelPacked(cluster);
  }

  /** Runs a job whose tables of other executors must all come packed, and none in place. */
  static void assertTablesTravelPacked(SparkCluster cluster) {
    ExecutorGauges before = cluster.gauges();
    // The numbers of rows, and nothing else.
    assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context(), 1, false).sums());
    ExecutorGauges after = cluster.gauges();
    long plain = after.sum("served.staged.bytes") - before.sum("served.staged.bytes");
    long sent = after.sum("served.staged.sent.bytes") - before.sum("served.staged.sent.bytes");
    long read = after.sum("read.transfer.bytes") - before.sum("read.transfer.bytes");
    assertTrue(plain > 0, after::toString);
    assertEquals(plain, read, after::toString);
    assertTrue(sent < plain, after::toString);
    for (String none :
        new String[] {"served.staged.failures", "read.failures", "read.pulled.bytes"}) {
      assertEquals(before.sum(none), after.sum(none), () -> none + " of " + after);
    }
    DeviceTablesSuite.awaitEmptyHeaps(cluster);
  }

  /** Packed blocks have tables of several partitions, or of some map tasks. */
  @Test
  @Tag("full")
  void rangesOfPartitionsAndOfMapTasksArrivePacked(SparkCluster cluster) {
    ExecutorGauges before = cluster.gauges();
    DeviceTablesSuite.readRanges(cluster);
    ExecutorGauges after = cluster.gauges();
    assertTrue(
        after.sum("served.staged.bytes") > before.sum("served.staged.bytes"), after::toString);
    assertEquals(before.sum("read.failures"), after.sum("read.failures"), after::toString);
  }

  /** Launches find no memory, on either side: for these tables CPUs do the work. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "5", "1+"})
  @Tag("full")
  void allRowsArriveWithoutMemoryForLaunches(String refused, SparkCluster cluster) {
    Recording<NumberedRows.Sums> recording = readWith("refuse_cuMemHostAlloc=" + refused, cluster);
    assertEquals(NumberedRows.EXPECTED, recording.value());
    assertEquals(List.of(), recording.failures());
    DeviceTablesSuite.awaitEmptyHeaps(cluster);
  }

  /** The engine finds no memory in the middle of a task; Spark runs the task again. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  @Tag("full")
  void allRowsArriveWhenTheReadersGpuIsFullForAMoment(int refused, SparkCluster cluster) {
    Recording<NumberedRows.Sums> recording = readWith("refuse_cuMemAlloc=" + refused, cluster);
    assertEquals(NumberedRows.EXPECTED, recording.value());
    assertEquals(List.of(), recording.fetchFailures());
    assertEquals(0, recording.totals().recordsWritten());
    assertTrue(!recording.failures().isEmpty(), "no allocation was refused");
    DeviceTablesSuite.awaitEmptyHeaps(cluster);
  }

  /** Reads tables that were written before while the driver of both executors refuses memory. */
  private static Recording<NumberedRows.Sums> readWith(String refusal, SparkCluster cluster) {
    NumberedTables tables = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, tables.sums());
    Path driver = Path.of(System.getProperty(FakeGpus.CUDA_FOLDER));
    FakeLibraries.script(driver, refusal);
    try {
      return cluster.record(tables::sums);
    } finally {
      FakeLibraries.script(driver);
    }
  }

  /** A successor without a device heap, and so without kernels, decodes packed tables itself. */
  @Test
  @Tag("full")
  @SparkTest(
      conf = {
        FakeTablesPlugin.SETTING,
        "spark.symshuffle.device.enabled=true",
        "spark.symshuffle.device.backend=cuda",
        "spark.symshuffle.device.heap.size=256m",
        "spark.symshuffle.read.peerMapping=false",
        "spark.executorEnv.LD_LIBRARY_PATH=${" + FakeGpus.CUDA_FOLDER + "}"
      })
  void executorWithoutKernelsReadsPackedTables(SparkCluster cluster) {
    cluster.discard();
    NumberedTables tables = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, tables.sums());
    Path driver = Path.of(System.getProperty(FakeGpus.CUDA_FOLDER));
    FakeLibraries.script(driver, "refuse_cuMemCreate=1+");
    String killed = cluster.executors().getFirst().executorId();
    try {
      cluster.kill(killed);
      Await.until(
          "a successor has no device heap",
          () -> {
            var now = cluster.gauges().byExecutor();
            return !now.containsKey(killed)
                && now.values().stream().anyMatch(each -> each.get("device.pes") == 0);
          });
    } finally {
      FakeLibraries.script(driver);
    }
    ExecutorGauges before = cluster.gauges();
    assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context()).sums());
    ExecutorGauges after = cluster.gauges();
    assertTrue(
        after.sum("served.staged.bytes") > before.sum("served.staged.bytes"), after::toString);
    assertTrue(after.sum("written.host.bytes") > before.sum("written.host.bytes"), after::toString);
  }

  @Test
  void largerTablesThatDoNotShrinkArriveToo(SparkCluster cluster) {
    assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context(), 200, false).sums());
    DeviceTablesSuite.awaitEmptyHeaps(cluster);
  }

  @Test
  @Tag("long")
  void recoversFromAnExecutorKilledWhileItsTablesTravel(SparkCluster cluster) {
    cluster.discard();
    assertEquals(NumberedRows.EXPECTED, DeviceTablesSuite.killInTheReduceStage(cluster).sums());
  }
}
