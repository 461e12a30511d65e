// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.record.Recording;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.CRC32;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

/** Sizes and numbers that exceed an {@code int} or a Java array, or are just large. */
@Tag("long")
class LargeSizesIT {
  private static final int MIB = 1 << 20;

  @Test
  @SparkTest(
      conf = {
        "spark.symshuffle.heap.size=5g",
        "spark.locality.wait=0",
        "spark.shuffle.reduceLocality.enabled=false",
        "spark.sql.execution.sortBeforeRepartition=false"
      })
  void readsBlocksOver2GiB(SparkCluster cluster) {
    assertMebibytesArrive(cluster, 4_300, 1, 2);
    assertTrue(cluster.gauges().sum("read.host.bytes") > 4_300L * MIB);
  }

  @Test
  @SparkTest(
      conf = {
        "spark.symshuffle.heap.size=5g",
        "spark.symshuffle.read.peerMapping=false",
        "spark.locality.wait=0",
        "spark.shuffle.reduceLocality.enabled=false",
        "spark.sql.execution.sortBeforeRepartition=false"
      })
  void transfersBlocksOver2GiB(SparkCluster cluster) {
    assertMebibytesArrive(cluster, 4_300, 1, 2);
    // At least one of the two partitions.
    assertTrue(cluster.gauges().sum("read.transfer.bytes") > 2_048L * MIB);
  }

  @Test
  @SparkTest(
      conf = {"spark.symshuffle.heap.size=2g", "spark.sql.execution.sortBeforeRepartition=false"})
  void readsPartitionsOver8GiBFromMemoryAndDisk(SparkCluster cluster) {
    assertMebibytesArrive(cluster, 8_400, 8, 1);
    assertTrue(cluster.gauges().sum("read.host.bytes") > 2_048L * MIB);
    assertTrue(cluster.gauges().sum("read.disk.bytes") > 2_048L * MIB);
  }

  /** Rows of 1 MiB each, checked with a checksum that Spark computes. */
  private static void assertMebibytesArrive(
      SparkCluster cluster, int rows, int maps, int partitions) {
    Dataset<Row> read =
        cluster
            .session()
            .range(0, rows, 1, maps)
            .selectExpr("id", "repeat(chr(int(65 + id % 26)), " + MIB + ") text")
            .repartition(partitions)
            .selectExpr("id", "crc32(text) crc", "length(text) n");
    long[] crcs = IntStream.range(0, 26).mapToLong(letter -> crc((byte) (65 + letter))).toArray();
    boolean[] seen = new boolean[rows];
    for (Row row : read.collectAsList()) {
      int id = (int) row.getLong(0);
      assertEquals(crcs[id % 26], row.getLong(1), () -> "row " + id);
      assertEquals(MIB, row.getInt(2));
      assertTrue(!seen[id], () -> "row %d twice".formatted(id));
      seen[id] = true;
    }
    assertEquals(rows, IntStream.range(0, rows).filter(id -> seen[id]).count());
  }

  private static long crc(byte letter) {
    byte[] bytes = new byte[MIB];
    Arrays.fill(bytes, letter);
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return crc.getValue();
  }

  @Test
  @SparkTest(
      memoryMb = 4096,
      conf = {"spark.symshuffle.heap.size=2g", "spark.sql.execution.sortBeforeRepartition=false"})
  void shufflesRowsOver256MiB(SparkCluster cluster) {
    assertLongRowsArrive(cluster, "text");
    assertLongRowsArrive(cluster, "binary(text)");
  }

  @Test
  @SparkTest(
      memoryMb = 4096,
      conf = {
        "spark.symshuffle.heap.size=64m",
        "spark.symshuffle.read.peerMapping=false",
        "spark.sql.execution.sortBeforeRepartition=false"
      })
  void transfersRowsOver256MiBFromDisk(SparkCluster cluster) {
    assertLongRowsArrive(cluster, "text");
    assertTrue(cluster.gauges().sum("written.disk.bytes") > 512L * MIB);
  }

  private static void assertLongRowsArrive(SparkCluster cluster, String column) {
    long bytes = 300L * MIB;
    List<Row> read =
        cluster
            .session()
            .range(0, 4, 1, 2)
            .selectExpr("id", "repeat(chr(int(65 + id)), int(%d)) text".formatted(bytes))
            .selectExpr("id", column + " AS value")
            .repartition(3)
            .selectExpr(
                "id",
                "length(value) n",
                "crc32(value) = crc32(repeat(chr(int(65 + id)), int(%d))) same".formatted(bytes))
            .orderBy("id")
            .collectAsList();
    assertEquals(List.of(0L, 1L, 2L, 3L), read.stream().map(row -> row.getLong(0)).toList());
    for (Row row : read) {
      assertEquals(bytes, row.getInt(1));
      assertTrue(row.getBoolean(2), row::toString);
    }
  }

  @Test
  @SparkTest(
      memoryMb = 4096,
      conf = {
        "spark.symshuffle.heap.size=2g",
        "spark.serializer=org.apache.spark.serializer.KryoSerializer",
        "spark.kryoserializer.buffer.max=1g"
      })
  void shufflesKryoRecordsOver256MiB(SparkCluster cluster) {
    assertLongRecordsArrive(cluster);
    assertTrue(cluster.gauges().sum("written.host.bytes") > 512L * MIB);
  }

  private static void assertLongRecordsArrive(SparkCluster cluster) {
    int bytes = 257 * MIB;
    List<Tuple2<Integer, Long>> read =
        JavaSparkContext.fromSparkContext(cluster.context())
            .parallelize(List.of(0, 1), 2)
            .mapToPair(
                id -> {
                  byte[] value = new byte[bytes];
                  Arrays.fill(value, (byte) (id + 1));
                  return new Tuple2<>(id, value);
                })
            .partitionBy(new HashPartitioner(2))
            .mapValues(
                value -> {
                  long sum = 0;
                  for (byte each : value) {
                    sum += each;
                  }
                  return sum;
                })
            .collect();
    assertEquals(
        List.of(new Tuple2<>(0, (long) bytes), new Tuple2<>(1, 2L * bytes)),
        read.stream().sorted((a, b) -> Integer.compare(a._1(), b._1())).toList());
  }

  @Test
  @SparkTest(conf = "spark.symshuffle.heap.size=1g")
  void shufflesInto20000Partitions(SparkCluster cluster) {
    JavaRDD<Row> partitions =
        cluster.session().range(0, 400_000, 1, 4).toDF().repartition(20_000, col("id")).javaRDD();
    assertEquals(20_000, partitions.getNumPartitions());
    assertSame(400_000, partitions.coalesce(8));
  }

  @Test
  @SparkTest(conf = "spark.symshuffle.heap.size=1g")
  void shuffles10000MapTasks(SparkCluster cluster) {
    Recording<Void> recording =
        cluster.record(
            () -> {
              assertSame(
                  100_000,
                  cluster
                      .session()
                      .range(0, 100_000, 1, 10_000)
                      .toDF()
                      .repartition(4, col("id"))
                      .javaRDD());
              return null;
            });
    assertTrue(recording.tasks().size() >= 10_004);
    assertTrue(cluster.gauges().sum("written.map.outputs") >= 10_000);
  }

  @Test
  @SparkTest(cores = 4, conf = "spark.symshuffle.heap.size=512m")
  void runs100ShufflesAtTheSameTime(SparkCluster cluster) {
    SparkSession session = cluster.session();
    List<JavaRDD<Row>> shuffles = new ArrayList<>();
    for (int shuffle = 0; shuffle < 100; shuffle++) {
      shuffles.add(
          session
              .range(1_000L * shuffle, 1_000L * (shuffle + 1), 1, 3)
              .toDF()
              .repartition(4, col("id"))
              .javaRDD());
    }
    @SuppressWarnings({"unchecked", "rawtypes"})
    JavaRDD<Row> all =
        JavaSparkContext.fromSparkContext(cluster.context())
            .union(shuffles.toArray(new JavaRDD[0]));
    assertSame(100_000, all);
    // In one task, which holds a lease on each shuffle.
    assertSame(100_000, all.coalesce(1));
  }

  /** The numbers from 0 to {@code rows - 1}, each once. */
  private static void assertSame(int rows, JavaRDD<Row> read) {
    assertEquals(
        LongStream.range(0, rows).boxed().toList(),
        read.map(row -> row.getLong(0)).collect().stream().sorted().toList());
  }
}
