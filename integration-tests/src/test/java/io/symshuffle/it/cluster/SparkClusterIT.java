// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.PluginJar;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.result.Comparison;
import io.symshuffle.it.wait.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The harness itself, with Spark's sort shuffle. */
@SparkTest(cluster = ClusterKind.LOCAL, plugin = PluginJar.ABSENT)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("full")
class SparkClusterIT {
  private static String firstApplication;

  @Test
  @Order(1)
  void driverLogIsThatOfTheApplication(SparkCluster cluster) {
    firstApplication = cluster.applicationId();
    assertTrue(cluster.driverLog().contains(firstApplication));
  }

  @Test
  @Order(2)
  void testsWithEqualSettingsShareAnApplicationButNoSqlSettings(
      SparkCluster cluster, SparkSession session) {
    assertEquals(firstApplication, cluster.applicationId());
    session.conf().set("spark.sql.shuffle.partitions", "17");
    assertEquals("4", cluster.newSession().conf().get("spark.sql.shuffle.partitions"));
  }

  @Test
  @Order(3)
  void recordingSumsShuffleMetrics(SparkCluster cluster) {
    Recording<Long> recording =
        cluster.record(() -> cluster.session().range(0, 1000, 1, 3).repartition(5).count());
    assertEquals(1000, recording.value());
    assertEquals(1000 + 5, recording.totals().recordsWritten());
    assertEquals(1000 + 5, recording.totals().recordsRead());
    assertEquals(recording.totals().bytesWritten(), recording.totals().bytesRead());
    assertEquals(3, recording.stages().size());
    assertEquals(
        recording.totals(),
        recording.stages().stream()
            .map(recording::totals)
            .reduce(recording.totals(-1), (a, b) -> a.plus(b)));
  }

  @Test
  @Order(4)
  void comparerComparesRowByRow(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare("SELECT id % 10 k, count(*) n FROM range(1000) GROUP BY 1");
    assertEquals(10, comparison.ours().rows().size());
    assertEquals(1, comparison.sparks().plan().exchanges().size());
    assertEquals(0, comparison.sparks().plan().ourExchanges());
    AssertionError error =
        assertThrows(AssertionError.class, () -> comparer.compare("SELECT rand() FROM range(3)"));
    assertTrue(error.getMessage().contains("3 unexpected, 3 missing"), error.getMessage());
  }

  @Test
  @Tag("long")
  @Order(5)
  @SparkTest(plugin = PluginJar.ABSENT)
  void executorsAreLocalProcessesAndReplacedWhenKilled(SparkCluster cluster) {
    List<ExecutorProcess> executors = cluster.executors();
    assertEquals(2, executors.size(), executors.toString());
    assertTrue(executors.stream().allMatch(ExecutorProcess::isAlive));
    assertTrue(cluster.executorLogs().contains("Executor: Starting executor ID"));
    ExecutorProcess victim = executors.getFirst();
    cluster.kill(victim.executorId());
    assertFalse(victim.isAlive());
    cluster.awaitExecutors(Duration.ofSeconds(60));
    assertEquals(2, cluster.executors().size());
    assertFalse(cluster.executors().contains(victim));
  }

  @Test
  @Order(6)
  @SparkTest(cluster = ClusterKind.LOCAL, plugin = PluginJar.ABSENT, conf = "spark.test.key=a=b")
  void otherSettingsGetAnotherApplication(SparkCluster cluster, SparkSession session) {
    assertNotEquals(firstApplication, cluster.applicationId());
    assertEquals("a=b", session.conf().get("spark.test.key"));
    assertEquals(List.of(), cluster.executors());
    assertEquals("local[1]", cluster.context().master());
  }

  @Test
  @Order(7)
  void deadlineEndsTheWaitForEndlessCode() {
    assertThrows(
        TimeoutException.class,
        () ->
            Deadline.call(
                () -> {
                  new CountDownLatch(1).await();
                  return null;
                },
                Duration.ofMillis(100)));
  }
}
