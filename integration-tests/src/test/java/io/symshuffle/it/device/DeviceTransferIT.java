// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.record.ExecutorGauges;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

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
    },
    deadlineSeconds = 280)
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

  @Test
  void largerTablesThatDoNotShrinkArriveToo(SparkCluster cluster) {
    assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context(), 600, false).sums());
    DeviceTablesSuite.awaitEmptyHeaps(cluster);
  }

  @Test
  @Tag("long")
  void recoversFromAnExecutorKilledWhileItsTablesTravel(SparkCluster cluster) {
    cluster.discard();
    assertEquals(NumberedRows.EXPECTED, DeviceTablesSuite.killInTheReduceStage(cluster).sums());
  }
}
