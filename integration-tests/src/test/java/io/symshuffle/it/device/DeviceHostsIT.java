// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.wait.Await;
import java.time.Duration;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.Option;

/** Tables between two hosts with one executor each, on fakes of the CUDA driver. */
@ExtendWith({TestHosts.class, FakeGpus.class})
@SparkTest(
    cluster = ClusterKind.HOSTS,
    conf = {
      FakeTablesPlugin.SETTING,
      "spark.symshuffle.device.required=true",
      "spark.symshuffle.device.backend=cuda",
      "spark.symshuffle.device.heap.size=64m",
      "spark.symshuffle.device.chunk.size=2m",
      "spark.network.timeout=15s",
      "spark.network.timeoutInterval=5s",
      "spark.executor.heartbeatInterval=2s",
      "spark.shuffle.io.maxRetries=1",
      "spark.shuffle.io.retryWait=1s",
      "spark.decommission.enabled=true",
      "spark.storage.decommission.enabled=true",
      "spark.storage.decommission.replicationReattemptInterval=1s",
      "spark.executorEnv.LD_LIBRARY_PATH=${" + FakeGpus.CUDA_FOLDER + "}"
    },
    deadlineSeconds = 400)
@Tag("full")
class DeviceHostsIT {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @Test
  void packedTablesCrossTheLink(SparkCluster cluster) {
    ExecutorGauges before = cluster.gauges();
    assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context(), 1, false).sums());
    ExecutorGauges after = cluster.gauges();
    long read = after.sum("read.transfer.bytes") - before.sum("read.transfer.bytes");
    long plain = after.sum("served.staged.bytes") - before.sum("served.staged.bytes");
    long sent = after.sum("served.staged.sent.bytes") - before.sum("served.staged.sent.bytes");
    assertEquals(read, plain, after::toString);
    assertTrue(plain > 0 && sent < plain, after::toString);
    assertEquals(0, after.sum("read.failures"), after::toString);
    DeviceTablesSuite.awaitEmptyHeaps(cluster);
  }

  @Test
  void mapOutputsOfTablesMoveToAnotherHost(SparkCluster cluster) {
    cluster.discard();
    NumberedTables tables = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, tables.sums());
    String leaving = cluster.executors().getFirst().executorId();
    ExecutorAllocationClient client =
        (ExecutorAllocationClient) cluster.context().schedulerBackend();
    assertTrue(
        client.decommissionExecutor(
            leaving,
            new ExecutorDecommissionInfo("the test", Option.empty()),
            /* adjustTargetNumExecutors= */ false,
            /* triggeredByExecutor= */ false));
    Await.until(
        "executor " + leaving + " has left",
        LIMIT,
        () -> cluster.executors().stream().noneMatch(e -> e.executorId().equals(leaving)));
    cluster.awaitExecutors(LIMIT);
    tables.assertReadWithoutRecomputation(cluster);
  }
}
