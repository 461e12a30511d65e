// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.Folders;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Spark's settings for authentication and encryption apply to our shuffle. If only one side
 * encrypted, the other one could not read it: right rows show that both did.
 */
@Tag("full")
class SecurityIT {
  /** The first bytes of each packet of a run that is not encrypted. */
  private static final String LZ4_PACKET = "SYC2\u0001";

  /** Each row begins its text with it, and LZ4 keeps its first occurrence as it is. */
  private static final String TEXT = "row number ";

  /** Rows that overflow the heaps of 1 MiB by far, even after Spark has freed older shuffles. */
  private static final long KEPT_ROWS = 80_000;

  @Test
  @Tag("long")
  @SparkTest(
      conf = {
        "spark.authenticate=true",
        "spark.authenticate.secret=only for tests",
        "spark.symshuffle.read.peerMapping=false"
      })
  void authenticatedTransfersGiveTheSameRows(SparkCluster cluster, ResultComparer comparer) {
    assertTransfersGiveTheSameRows(cluster, comparer);
  }

  @Test
  @Tag("long")
  @SparkTest(
      conf = {
        "spark.authenticate=true",
        "spark.authenticate.secret=only for tests",
        "spark.authenticate.enableSaslEncryption=true",
        "spark.symshuffle.read.peerMapping=false"
      })
  void saslEncryptedTransfersGiveTheSameRows(SparkCluster cluster, ResultComparer comparer) {
    assertTransfersGiveTheSameRows(cluster, comparer);
  }

  @Test
  @SparkTest(
      conf = {
        "spark.authenticate=true",
        "spark.authenticate.secret=only for tests",
        "spark.network.crypto.enabled=true",
        "spark.symshuffle.heap.size=4m",
        "spark.symshuffle.read.peerMapping=false"
      })
  void encryptedTransfersGiveTheSameRows(SparkCluster cluster, ResultComparer comparer) {
    assertTransfersGiveTheSameRows(cluster, comparer);
  }

  static void assertTransfersGiveTheSameRows(SparkCluster cluster, ResultComparer comparer) {
    comparer.compare(s -> rows(s).repartition(7, col("k")));
    assertTrue(cluster.gauges().sum("read.transfer.bytes") > 1L << 20);
  }

  /** Executors read each other's encrypted runs in place, and get them by block transfer. */
  @Test
  @SparkTest(
      conf = {
        "spark.io.encryption.enabled=true",
        "spark.authenticate=true",
        "spark.authenticate.secret=only for tests",
        "spark.network.crypto.enabled=true",
        "spark.symshuffle.heap.size=1m"
      })
  void runsOnDiskAreEncryptedAndGiveTheSameRows(SparkCluster cluster, ResultComparer comparer) {
    comparer.compare(s -> rows(s).repartition(7, col("k")));
    comparer.compare(s -> rows(s).hint("merge").join(rows(s).selectExpr("k j", "id + 1 id"), "id"));
    long before = cluster.gauges().sum("written.disk.bytes");
    JavaRDD<Row> kept = rows(cluster.session(), KEPT_ROWS).repartition(7, col("k")).javaRDD();
    assertEquals(KEPT_ROWS, kept.count());
    assertTrue(cluster.gauges().sum("written.disk.bytes") > before + (1L << 20));
    assertTrue(cluster.gauges().sum("read.disk.bytes") > 0);
    assertEquals(0, cluster.gauges().sum("read.failures"));
    assertEquals(List.of(), holding(cluster, TEXT));
    assertEquals(List.of(), holding(cluster, LZ4_PACKET));
  }

  @Test
  @Tag("long")
  @SparkTest(
      conf = {
        "spark.io.encryption.enabled=true",
        "spark.symshuffle.heap.size=1m",
        "spark.symshuffle.read.peerMapping=false"
      })
  void encryptedRunsOnDiskGiveTheSameRowsByTransfer(SparkCluster cluster, ResultComparer comparer) {
    assertTransfersGiveTheSameRows(cluster, comparer);
    assertEquals(0, cluster.gauges().sum("read.failures"));
  }

  @Test
  @Tag("long")
  @SparkTest(conf = {"spark.symshuffle.heap.size=1m"})
  void plainTextIsFoundWithoutEncryption(SparkCluster cluster) {
    JavaRDD<Row> kept = rows(cluster.session(), KEPT_ROWS).repartition(7, col("k")).javaRDD();
    assertEquals(KEPT_ROWS, kept.count());
    for (String text : List.of(TEXT, LZ4_PACKET)) {
      assertTrue(
          !holding(cluster, text).isEmpty(), "the check for plain text does not find " + text);
    }
  }

  /** Files of the application on disk that contain a text. */
  private static List<Path> holding(SparkCluster cluster, String text) {
    return Folders.under(cluster.localFolder())
        .filter(Files::isRegularFile)
        .filter(
            file -> {
              try {
                return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                    .contains(text);
              } catch (IOException e) {
                throw new UncheckedIOException("reading " + file, e);
              }
            })
        .toList();
  }

  private static Dataset<Row> rows(SparkSession session) {
    return rows(session, 20_000);
  }

  private static Dataset<Row> rows(SparkSession session, long count) {
    return session
        .range(0, count, 1, 3)
        .selectExpr("id", "id % 1013 k", "repeat(concat('" + TEXT + "', id, ' '), 6) text");
  }
}
