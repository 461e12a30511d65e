// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.Folders;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The heap's file system, the disk or the file size limit is exhausted while the application runs.
 * Tasks use another tier or fail with a clear message; no executor dies.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class NoSpaceIT {
  private static final int ROWS = 20_000;

  /** More than both heaps can hold. */
  private static final int MANY_ROWS = 60_000;

  private static final String TEXT = "x".repeat(1000);

  @TempDir private static Path folder;
  private static SmallFileSystem memory;
  private static SmallFileSystem disk;
  private static SparkCluster cluster;
  private static List<ExecutorProcess> executors;

  @BeforeAll
  static void start() {
    memory = SmallFileSystem.mount(folder.resolve("memory"), "40m");
    disk = SmallFileSystem.mount(folder.resolve("disk"), "128m");
    cluster =
        SparkCluster.start(
            ClusterSpec.localCluster(2, 1)
                .with("spark.symshuffle.heap.dir", memory.folder().toString())
                .with("spark.symshuffle.heap.size", "16m")
                .with("spark.symshuffle.heap.retained", "0")
                .with("spark.symshuffle.disk.dir", disk.folder().toString())
                .with("spark.symshuffle.staging.size", "256k")
                .with("spark.symshuffle.transfer.compression", "none")
                .with("spark.task.maxFailures", "2"),
            Path.of("target", "it-work", "NoSpaceIT"));
    executors = cluster.executors();
  }

  @AfterAll
  static void stop() {
    try {
      if (cluster != null) {
        cluster.close();
      }
    } finally {
      if (memory != null) {
        memory.close();
      }
      if (disk != null) {
        disk.close();
      }
    }
  }

  @AfterEach
  void nothingIsLeft() {
    assertEquals(executors, cluster.executors());
    ReleasedMemory.await(cluster);
    Await.until("the disk is empty", () -> runs().isEmpty());
  }

  /** Runs first, before freed memory is retained for reuse. */
  @Test
  @Order(1)
  void runsGoToDiskWhenSharedMemoryIsFull() throws IOException {
    JavaRDD<Row> before = shuffled(ROWS / 2);
    assertEquals(ROWS / 2, before.count());
    assertEquals(0, cluster.gauges().sum("written.disk.runs"));
    Path filler = memory.fill();
    assertEquals(ROWS, shuffled(ROWS).map(row -> row.getString(1).length()).count());
    assertTrue(cluster.gauges().sum("written.disk.bytes") > 10L << 20);
    assertEquals(ROWS / 2, before.count());
    Files.delete(filler);
    assertEquals(ROWS, shuffled(ROWS).count());
  }

  @Test
  @Order(2)
  @Tag("full")
  void fullDiskFailsTheTaskWithAClearMessage() throws IOException {
    Path filler = disk.fill();
    assertRefused("No space left on device");
    Files.delete(filler);
    ReleasedMemory.await(cluster);
    assertEquals(MANY_ROWS, shuffled(MANY_ROWS).count());
  }

  @Test
  @Order(3)
  @Tag("full")
  void fileSizeLimitFailsTheTaskWithAClearMessage() throws IOException {
    // 1 MiB per file. Beyond this limit there is a signal in addition to the error; its default
    // action ends the process.
    limitFiles("1048576:");
    assertRefused("File too large");
    limitFiles("unlimited:");
    ReleasedMemory.await(cluster);
    assertEquals(MANY_ROWS, shuffled(MANY_ROWS).count());
  }

  private static void assertRefused(String reason) {
    // Adaptive execution runs the map stage when the RDD is created.
    String message =
        assertThrows(SparkException.class, () -> shuffled(MANY_ROWS).count()).getMessage();
    assertTrue(message.contains("of shuffle data to " + disk.folder()), message);
    assertTrue(message.contains(reason), message);
    assertTrue(message.contains("set spark.symshuffle.disk.dir"), message);
  }

  private static void limitFiles(String limit) {
    for (ExecutorProcess executor : executors) {
      ChildProcess.Result prlimit =
          ChildProcess.of("prlimit", "--pid", Long.toString(executor.pid()), "--fsize=" + limit)
              .run(Await.LIMIT);
      assumeTrue(prlimit.status() == 0, "prlimit cannot set a limit: " + prlimit.output());
    }
  }

  private static JavaRDD<Row> shuffled(int rows) {
    return cluster
        .session()
        .range(0, rows, 1, 4)
        .selectExpr("id", "concat(id, '%s') text".formatted(TEXT))
        .repartition(8, col("id"))
        .javaRDD();
  }

  private static List<Path> runs() {
    return Folders.under(disk.folder())
        .filter(path -> path.getFileName().toString().endsWith(".runs"))
        .toList();
  }
}
