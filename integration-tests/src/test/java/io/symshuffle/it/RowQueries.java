// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.wait.Await;
import java.time.Duration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Queries of CPU operators whose rows go through GPU memory, compared with sort shuffle. */
final class RowQueries {
  private RowQueries() {}

  /** Runs a group-by, a join and a repartition with a number of rows. */
  static void compare(ResultComparer comparer, long rows) {
    comparer.compare(
        "SELECT id %% 100 k, count(*), sum(id), max(string(id)) FROM range(0, %d, 1, 6) GROUP BY 1"
            .formatted(rows));
    comparer.compare(
        "SELECT /*+ MERGE(b) */ a.id, b.id %% 3 FROM range(0, %d, 1, 3) a JOIN range(%d, %d, 1, 2) b"
                .formatted(rows / 2, rows / 4, rows)
            + " ON a.id = b.id");
    comparer.compare(session -> rows(session, rows / 2, 60).repartition(7, col("k")));
  }

  /** Rows with an ID, a key of 1013 values and a text of at least {@code textBytes} bytes. */
  static Dataset<Row> rows(SparkSession session, long number, int textBytes) {
    return session
        .range(0, number, 1, 6)
        .selectExpr(
            "id",
            "id % 1013 k",
            "repeat(chr(int(65 + id % 26)), int(id % 9) + " + textBytes + ") text");
  }

  /** Two executors write to their GPUs, and each pulls from the other's. */
  static void assertOnGpus(ExecutorGauges gauges) {
    assertEquals(2, gauges.byExecutor().size(), gauges::toString);
    gauges
        .byExecutor()
        .forEach(
            (executor, values) -> {
              assertEquals(2, values.get("device.pes"), executor + " of " + gauges);
              assertTrue(values.get("written.device.bytes") > 0, executor + " of " + gauges);
              assertTrue(values.get("read.pulled.bytes") > 0, executor + " of " + gauges);
            });
    assertEquals(0, gauges.sum("read.transfer.bytes"), gauges::toString);
    assertEquals(0, gauges.sum("read.failures"), gauges::toString);
  }

  /** Cancels a query while its tasks write or read; all heaps must become empty. */
  static void cancel(SparkCluster cluster, long rows) {
    StartedAction<Long> query =
        StartedAction.start(
            cluster.context(),
            () ->
                manyTasks(cluster.session(), rows)
                    .repartition(40, col("k"))
                    .selectExpr("sum(hash(id, k, text))")
                    .first()
                    .getLong(0));
    query.awaitTasks(1, Duration.ofSeconds(60));
    query.cancel();
    awaitEmptyHeaps(cluster);
  }

  /** So many tasks that the first one ends long before the last one. */
  private static Dataset<Row> manyTasks(SparkSession session, long rows) {
    return session
        .range(0, rows, 1, 200)
        .selectExpr("id", "id % 1013 k", "repeat(chr(int(65 + id % 26)), 100) text");
  }

  /** All heaps become empty when shuffles are unreachable. */
  static void awaitEmptyHeaps(SparkCluster cluster) {
    ReleasedMemory.await(cluster);
    Await.until(
        "the device heaps are empty",
        Duration.ofSeconds(20),
        () -> cluster.gauges().sum("device.heap.used.bytes") == 0);
  }

  /** Kills all executors; their successors must share a device epoch. */
  static void compareAfterTheLossOfAll(SparkCluster cluster, ResultComparer comparer, long rows) {
    cluster.executors().forEach(executor -> cluster.kill(executor.executorId()));
    cluster.awaitExecutors(Duration.ofSeconds(60));
    compare(comparer, rows);
    assertOnGpus(cluster.gauges());
  }

  /**
   * Kills one of two executors; the other one and the successor, which has no device heap, must
   * continue.
   */
  static void compareAfterALoss(SparkCluster cluster, ResultComparer comparer, long rows) {
    cluster.discard();
    compare(comparer, rows);
    assertOnGpus(cluster.gauges());
    String killed = cluster.executors().getFirst().executorId();
    cluster.kill(killed);
    compare(comparer, rows);
    Await.until(
        "a successor uses the host heap",
        Duration.ofSeconds(60),
        () -> {
          var now = cluster.gauges().byExecutor();
          return !now.containsKey(killed)
              && now.values().stream().anyMatch(each -> each.get("device.pes") == 0)
              && now.values().stream().anyMatch(each -> each.get("device.pes") == 2);
        });
    ExecutorGauges before = cluster.gauges();
    compare(comparer, rows);
    ExecutorGauges after = cluster.gauges();
    assertTrue(
        after.sum("written.device.bytes") > before.sum("written.device.bytes"), after::toString);
    assertTrue(after.sum("written.host.bytes") > before.sum("written.host.bytes"), after::toString);
    assertTrue(
        after.sum("read.transfer.bytes") > before.sum("read.transfer.bytes"),
        "the successor cannot read GPU memory, so there must be transfers: " + after);
  }
}
