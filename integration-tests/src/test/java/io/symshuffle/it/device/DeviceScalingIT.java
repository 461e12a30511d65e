// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.wait.Await;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.Option;
import scala.collection.immutable.Map$;

/**
 * Spark adds and removes executors with device heaps of CUDA memory, on fakes of the CUDA driver.
 */
@ExtendWith(FakeGpus.class)
@SparkTest(conf = {ScalingWaves.SETTINGS, FakeGpus.CUDA_HEAPS})
@Tag("full")
class DeviceScalingIT {

  @Test
  @Tag("long")
  void executorsComeAndGoUnderLoadWithoutRecomputation(SparkCluster cluster) {
    ScalingWaves.check(cluster);
  }

  @Test
  @SparkTest(conf = {FakeGpus.CUDA_HEAPS})
  void executorThatStartsGetsTheMemoryOfTheLastOneWhichLeaves(SparkCluster cluster) {
    cluster.discard();
    NumberedTables tables = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, tables.sums());
    String last = cluster.executors().getFirst().executorId();
    String other = cluster.executors().getLast().executorId();
    ExecutorAllocationClient client =
        (ExecutorAllocationClient) cluster.context().schedulerBackend();
    AtomicBoolean killed = new AtomicBoolean();
    // The driver knows an executor before its plugin has started.
    cluster
        .context()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onExecutorAdded(SparkListenerExecutorAdded added) {
                if (!killed.getAndSet(true)) {
                  client.killExecutor(last);
                }
              }
            });
    assertTrue(client.killExecutor(other));
    Await.until(
        "executor " + last + " is alone", () -> ScalingWaves.ids(cluster).equals(Set.of(last)));
    assertTrue(cluster.context().requestTotalExecutors(2, 0, Map$.MODULE$.empty()));
    Await.until("it is gone", () -> !ScalingWaves.ids(cluster).contains(last));
    tables.assertReadWithoutRecomputation(cluster);
  }

  @Test
  @SparkTest(
      conf = {
        FakeGpus.CUDA_HEAPS,
        "spark.decommission.enabled=true",
        "spark.storage.decommission.enabled=true",
        "spark.storage.decommission.replicationReattemptInterval=1s"
      })
  void tablesOfADecommissionedExecutorMove(SparkCluster cluster) {
    cluster.discard();
    NumberedTables tables = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, tables.sums());
    String leaving = cluster.executors().getFirst().executorId();
    ExecutorAllocationClient client =
        (ExecutorAllocationClient) cluster.context().schedulerBackend();
    assertTrue(
        client.decommissionExecutor(
            leaving, new ExecutorDecommissionInfo("the test", Option.empty()), true, false));
    Await.until("it is gone", () -> !ScalingWaves.ids(cluster).contains(leaving));
    tables.assertReadWithoutRecomputation(cluster);
  }
}
