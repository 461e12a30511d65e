// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.record.Recording;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Rows behind one exchange, which are read again after executors were lost or removed. */
final class ShuffledRows {
  static final int COUNT = 12_000;

  private ShuffledRows() {}

  static JavaRDD<Row> of(SparkSession session) {
    return session
        .range(0, COUNT, 1, 12)
        .selectExpr("id", "id % 101 k")
        .repartition(8, col("k"))
        .javaRDD();
  }

  static void assertReadWithoutRecomputation(SparkCluster cluster, JavaRDD<Row> shuffled) {
    Recording<List<Long>> recording =
        cluster.record(() -> shuffled.map(row -> row.<Long>getAs("id")).collect());
    assertEquals(
        LongStream.range(0, COUNT).boxed().toList(), recording.value().stream().sorted().toList());
    assertEquals(List.of(), recording.fetchFailures());
    assertEquals(0, recording.totals().recordsWritten());
    assertEquals(1, recording.stages().size());
  }
}
