// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.record.Recording;
import io.symshuffle.it.record.TaskRecord;
import io.symshuffle.it.result.ResultComparer;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

/**
 * A standalone master with workers, the driver in this JVM. Each worker has an address of its own,
 * so that Spark takes them for different hosts; they are one all the same.
 */
@SparkTest(
    cluster = ClusterKind.STANDALONE,
    plugin = PluginJar.JARS,
    conf = {
      "spark.speculation=true",
      "spark.speculation.minTaskRuntime=2s",
      "spark.speculation.quantile=0.5"
    })
class StandaloneIT {
  @Test
  void executorsOfDifferentWorkersReadEachOthersHeaps(
      SparkCluster cluster, ResultComparer comparer) {
    comparer.compare("SELECT id % 100 k, count(*), sum(id) FROM range(0, 20000, 1, 6) GROUP BY 1");
    comparer.compare(
        "SELECT /*+ MERGE(b) */ * FROM range(0, 3000, 1, 3) a JOIN range(1000, 4000, 1, 2) b"
            + " ON a.id = b.id");
    assertEquals(2, cluster.executors().size());
    assertEquals(2, cluster.mappedHeapFiles().size(), cluster.mappedHeapFiles()::toString);
    assertEquals(0, cluster.gauges().sum("read.transfer.bytes"));
    assertTrue(cluster.gauges().sum("read.host.bytes") > 0);
  }

  @Test
  void theFasterOfTwoAttemptsCounts(SparkCluster cluster, SparkSession session) {
    // Spark starts a second attempt on another host only.
    session
        .udf()
        .register("hangs_once", (UDF1<Long, Long>) StandaloneIT::hangOnce, DataTypes.LongType);
    Recording<List<Row>> recording =
        cluster.record(
            () ->
                session
                    .range(0, 12_000, 1, 12)
                    .selectExpr("hangs_once(id) AS id")
                    .repartition(8)
                    .collectAsList());
    assertEquals(
        LongStream.range(0, 12_000).boxed().toList(),
        recording.value().stream().map(row -> row.getLong(0)).sorted().toList());
    assertTrue(recording.tasks().stream().anyMatch(TaskRecord::speculative));
  }

  private static long hangOnce(long id) throws InterruptedException {
    if (id == 5700 && TaskContext.get().attemptNumber() == 0) {
      Thread.sleep(60_000);
    }
    return id;
  }
}
