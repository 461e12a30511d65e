// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.device.TransferFaults.Fault;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.Option;

/** Tables between two hosts with one executor each, on fakes of the CUDA driver. */
@ExtendWith({TestHosts.class, FakeGpus.class})
@SparkTest(
    cluster = ClusterKind.HOSTS,
    conf = {
      FakeGpus.CUDA_HEAPS,
      DeviceHostsIT.LINKS,
      "spark.decommission.enabled=true",
      "spark.storage.decommission.enabled=true",
      "spark.storage.decommission.replicationReattemptInterval=1s"
    })
@Tag("full")
class DeviceHostsIT {
  /** Broken links are noticed soon. */
  static final String LINKS =
      """
      spark.network.timeout=15s
      spark.network.timeoutInterval=5s
      spark.executor.heartbeatInterval=2s
      spark.shuffle.io.maxRetries=1
      spark.shuffle.io.retryWait=1s\
      """;

  private static final int KILLS = 100;

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
        () -> cluster.executors().stream().noneMatch(e -> e.executorId().equals(leaving)));
    cluster.awaitExecutors();
    tables.assertReadWithoutRecomputation(cluster);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("long")
  void allRowsArriveWhenAHostFailsInMidTransfer(Fault fault, SparkCluster cluster)
      throws Exception {
    cluster.discard();
    new TransferFaults(cluster).inMidTransfer(fault, 1);
    DeviceTablesSuite.awaitEmptyHeaps(cluster);
  }

  @Test
  @Timeout(value = 90, unit = TimeUnit.MINUTES)
  @Tag("long")
  @SparkTest(
      cluster = ClusterKind.HOSTS,
      conf = {FakeGpus.CUDA_HEAPS, DeviceHostsIT.LINKS},
      deadlineSeconds = 6_000)
  void rowsAreRightDespiteAHundredKills(SparkCluster cluster, TestReporter reporter)
      throws Exception {
    cluster.discard();
    long seed = System.nanoTime();
    Random random = new Random(seed);
    reporter.publishEntry("seed", Long.toString(seed));
    TransferFaults faults = new TransferFaults(cluster);
    Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    List<Fault> kinds =
        List.of(
            Fault.EXECUTOR_KILLED,
            Fault.EXECUTOR_KILLED,
            Fault.EXECUTOR_KILLED,
            Fault.EXECUTOR_KILLED,
            Fault.WORKER_KILLED,
            Fault.WORKER_KILLED,
            Fault.WORKER_KILLED,
            Fault.WORKER_KILLED,
            Fault.WORKER_KILLED,
            Fault.DISCONNECTED);
    long start = System.nanoTime();
    for (int kill = 0; kill < KILLS; kill++) {
      Fault fault = kinds.get(kill % kinds.size());
      faults.atRandom(fault, random.nextInt(2), random);
      counts.merge(fault, 1, Integer::sum);
    }
    DeviceTablesSuite.awaitEmptyHeaps(cluster);
    // Files of executors that live, of both hosts.
    List<String> heaps =
        IntStream.range(0, cluster.hosts().count())
            .mapToObj(host -> cluster.hosts().on(host, List.of("find", "/dev/shm")))
            .flatMap(find -> ChildProcess.of(find).run(Await.LIMIT).lines().stream())
            .filter(file -> file.matches(".*/pe-[0-9]+\\.heap"))
            .toList();
    assertEquals(2, heaps.size(), heaps::toString);
    reporter.publishEntry(
        "kills",
        "%s in %d s, no row differs"
            .formatted(counts, (System.nanoTime() - start) / 1_000_000_000));
  }
}
