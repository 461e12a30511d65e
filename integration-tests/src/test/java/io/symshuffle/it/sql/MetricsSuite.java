// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.record.RowChecksums;
import io.symshuffle.it.record.ShuffleTotals;
import io.symshuffle.it.result.Comparison;
import io.symshuffle.it.result.ExecutedPlan;
import java.util.Arrays;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Spark's metrics of our shuffles equal those of sort shuffles. */
abstract class MetricsSuite {
  private static final int ROWS = 5000;

  @Test
  void recordsAndBytesWrittenEqualRecordsAndBytesRead(ResultComparer comparer) {
    Comparison comparison = comparer.compare(s -> rows(s).repartition(7, col("k")));
    ShuffleTotals ours = comparison.ours().recording().totals();
    ShuffleTotals sparks = comparison.sparks().recording().totals();
    assertEquals(ROWS, ours.recordsWritten());
    assertEquals(ROWS, ours.recordsRead());
    assertEquals(sparks.recordsWritten(), ours.recordsWritten());
    assertEquals(sparks.recordsRead(), ours.recordsRead());
    assertTrue(ours.bytesWritten() > ROWS * 8L, ours.toString());
    assertEquals(ours.bytesWritten(), ours.bytesRead());
    assertEquals(sparks.blocksRead(), ours.blocksRead());
  }

  /** Adjacent partitions of a map output count as one block. */
  @Test
  void blocksOfCoalescedPartitionsEqualThoseOfSortShuffle(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            s -> {
              s.conf().set("spark.sql.shuffle.partitions", 40);
              return rows(s).groupBy("k").count();
            });
    assertTrue(comparison.ours().plan().readsCoalesced(), comparison.ours().plan().toString());
    long blocks = comparison.ours().recording().totals().blocksRead();
    assertEquals(comparison.sparks().recording().totals().blocksRead(), blocks);
    assertTrue(blocks < 40, () -> blocks + " blocks");
  }

  @Test
  @Tag("full")
  void eachStageHasItsOwnMetrics(ResultComparer comparer) {
    Comparison comparison = comparer.compare(s -> rows(s).repartition(7, col("k")));
    var recording = comparison.ours().recording();
    assertEquals(2, recording.stages().size());
    assertEquals(ROWS, recording.totals(recording.stages().getFirst()).recordsWritten());
    assertEquals(0, recording.totals(recording.stages().getFirst()).recordsRead());
    assertEquals(0, recording.totals(recording.stages().getLast()).recordsWritten());
    assertEquals(ROWS, recording.totals(recording.stages().getLast()).recordsRead());
  }

  @Test
  @Tag("full")
  void sizesForAdaptiveExecutionEqualSortShuffles(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            "SELECT a.k, count(*) FROM (SELECT id % 50 k, string(id) s FROM range(5000)) a"
                + " JOIN (SELECT id k FROM range(100)) b ON a.k = b.k GROUP BY a.k");
    ExecutedPlan ours = comparison.ours().plan();
    ExecutedPlan sparks = comparison.sparks().plan();
    assertTrue(ours.exchangeMetric("dataSize") > 0);
    assertEquals(sparks.exchangeMetric("dataSize"), ours.exchangeMetric("dataSize"));
    assertEquals(
        sparks.exchangeMetric("shuffleRecordsWritten"),
        ours.exchangeMetric("shuffleRecordsWritten"));
  }

  @Test
  void rowChecksumsEqualSortShuffles(ResultComparer comparer) {
    assumeTrue(RowChecksums.SUPPORTED, "this Spark version has no checksums of rows");
    // Each map task has equal input rows, so their order-independent checksums are equal.
    Comparison comparison =
        comparer.compare(
            s -> {
              // The default in 4.2, but not in 4.1.
              s.conf().set("spark.sql.shuffle.orderIndependentChecksum.enabled", "true");
              return rows(s).repartition(7, col("k"));
            });
    long[] ours = checksums(comparison.ours().plan());
    assertArrayEquals(checksums(comparison.sparks().plan()), ours);
    assertTrue(Arrays.stream(ours).allMatch(checksum -> checksum != 0), Arrays.toString(ours));
  }

  @Test
  @Tag("full")
  void executorsCountMapOutputsAndBytes(SparkCluster cluster, SparkSession session) {
    ExecutorGauges before = cluster.gauges();
    assertEquals(ROWS, rows(session).repartition(7, col("k")).count());
    ExecutorGauges after = cluster.gauges();
    assertTrue(after.sum("written.map.outputs") >= before.sum("written.map.outputs") + 3);
    assertTrue(after.sum("written.host.bytes") > before.sum("written.host.bytes"));
    assertTrue(after.sum("read.host.bytes") > before.sum("read.host.bytes"));
    assertEquals(0, after.sum("read.failures"));
    assertEquals(before.sum("written.disk.bytes"), after.sum("written.disk.bytes"));
  }

  private static long[] checksums(ExecutedPlan plan) {
    int shuffle = plan.exchanges().getFirst().shuffleDependency().shuffleId();
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    return Arrays.stream(tracker.shuffleStatuses().apply(shuffle).mapStatuses())
        .mapToLong(RowChecksums::of)
        .toArray();
  }

  private static Dataset<Row> rows(SparkSession session) {
    return session.range(0, ROWS, 1, 3).selectExpr("id", "id % 97 k", "concat('row ', id) s");
  }
}
