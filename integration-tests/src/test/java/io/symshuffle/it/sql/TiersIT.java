// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.result.Comparison;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows are the same in every tier and for every way of reading them. */
class TiersIT {
  @Test
  @SparkTest(
      cluster = ClusterKind.LOCAL,
      cores = 2,
      conf = {"spark.symshuffle.staging.size=64k", "spark.symshuffle.heap.retained=0"})
  @Tag("full")
  void smallStagingMakesManyRunsAndAllowsLargerRecords(
      SparkCluster cluster, ResultComparer comparer) {
    comparer.compare(s -> rows(s, 40_000, 50).repartition(7, col("k")));
    long runs = cluster.gauges().sum("written.host.runs");
    assertTrue(runs > 3 * 15, runs + " runs of 3 maps with over 15 staging buffers each");
    comparer.compare(s -> rows(s, 300, 100_000).repartition(5, col("k")));
  }

  @Test
  @SparkTest(
      cluster = ClusterKind.LOCAL,
      cores = 2,
      conf = {"spark.symshuffle.staging.size=64m", "spark.symshuffle.checksum.enabled=false"})
  @Tag("full")
  void largeStagingMakesOneRunPerMap(SparkCluster cluster, ResultComparer comparer) {
    comparer.compare(s -> rows(s, 40_000, 50).repartition(7, col("k")));
    assertEquals(3, cluster.gauges().sum("written.host.runs"));
  }

  @Test
  @SparkTest(
      cluster = ClusterKind.LOCAL,
      cores = 2,
      conf = {"spark.symshuffle.heap.size=1m", "spark.symshuffle.staging.size=256k"})
  void smallHeapSendsRunsToDisk(SparkCluster cluster, ResultComparer comparer) {
    Comparison comparison = comparer.compare(s -> rows(s, 60_000, 200).repartition(7, col("k")));
    assertEquals(60_000, comparison.ours().rows().size());
    ExecutorGauges gauges = cluster.gauges();
    assertTrue(gauges.sum("written.disk.bytes") > 8L << 20, gauges.toString());
    assertTrue(gauges.sum("read.disk.bytes") > 8L << 20, gauges.toString());
    comparer.compare(s -> rows(s, 20, 2_000_000).repartition(3, col("k")));
  }

  @Test
  @SparkTest(
      conf = {
        "spark.symshuffle.heap.access=copied",
        "spark.symshuffle.heap.files=3",
        "spark.symshuffle.heap.size=24m",
        "spark.symshuffle.staging.size=64k"
      })
  void rowsAreCopiedThroughHeapsOfSeveralFiles(SparkCluster cluster, ResultComparer comparer) {
    comparer.compare(s -> rows(s, 60_000, 200).repartition(7, col("k")));
    comparer.compare(s -> randomRows(s, 20_000).repartition(7, col("k")));
    ExecutorGauges gauges = cluster.gauges();
    assertTrue(gauges.sum("written.host.bytes") > 16L << 20, gauges.toString());
    assertTrue(gauges.sum("read.host.bytes") > 16L << 20, gauges.toString());
  }

  @Test
  @SparkTest(
      conf = {
        "spark.symshuffle.read.peerMapping=false",
        "spark.symshuffle.transfer.compression=lz4",
        "spark.symshuffle.heap.size=4m",
        "spark.symshuffle.staging.size=64k"
      })
  void blockTransferServesEveryTierAndCompressesWhatBecomesSmaller(
      SparkCluster cluster, ResultComparer comparer) {
    comparer.compare(s -> rows(s, 60_000, 200).repartition(7, col("k")));
    ExecutorGauges gauges = cluster.gauges();
    long read = gauges.sum("read.transfer.bytes");
    long served = gauges.sum("served.bytes");
    assertTrue(read > 2L << 20, gauges.toString());
    assertTrue(served < read / 4, gauges.toString());
    comparer.compare(s -> randomRows(s, 20_000).repartition(7, col("k")));
    gauges = cluster.gauges();
    read = gauges.sum("read.transfer.bytes") - read;
    served = gauges.sum("served.bytes") - served;
    assertTrue(read > 2L << 20, gauges.toString());
    assertTrue(served > read * 3 / 4, gauges.toString());
    comparer.compare(
        "SELECT /*+ MERGE(b) */ * FROM range(0, 3000, 1, 3) a JOIN range(1000, 4000, 1, 2) b"
            + " ON a.id = b.id");
  }

  /** Rows of 256 bytes that cannot be compressed. */
  private static Dataset<Row> randomRows(SparkSession session, long number) {
    String hash = "unhex(sha2(string(id * 8 + %d), 512))";
    return session
        .range(0, number, 1, 3)
        .selectExpr(
            "id",
            "id % 1013 k",
            hash.formatted(0) + " a",
            hash.formatted(1) + " b",
            hash.formatted(2) + " c",
            hash.formatted(3) + " d");
  }

  private static Dataset<Row> rows(SparkSession session, long number, int textBytes) {
    return session
        .range(0, number, 1, 3)
        .selectExpr(
            "id",
            "id % 1013 k",
            "repeat(chr(int(65 + id % 26)), int(id % 9) + " + textBytes + ") text");
  }
}
