// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.Folders;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.wait.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Data that does not fit into the heaps goes to all local folders, each a small file system here.
 * One of them is too small for its share.
 */
@Tag("long")
class LocalFoldersIT {
  private static final List<String> SIZES = List.of("128m", "128m", "4m");
  private static final long SMALL = 4L << 20;
  private static final int ROWS = 40_000;

  @TempDir private static Path folder;

  @Test
  void everyFolderTakesRunsUntilItIsFull() {
    List<SmallFileSystem> disks = new ArrayList<>();
    try {
      for (String size : SIZES) {
        disks.add(SmallFileSystem.mount(folder.resolve("disk-" + disks.size()), size));
      }
      run(disks);
    } finally {
      disks.forEach(SmallFileSystem::close);
    }
  }

  private static void run(List<SmallFileSystem> disks) {
    ClusterSpec spec =
        ClusterSpec.localCluster(2, 1)
            .with("spark.symshuffle.heap.size", "2m")
            .with("spark.symshuffle.staging.size", "256k")
            .with("spark.symshuffle.transfer.compression", "none")
            .with(
                "spark.local.dir",
                disks.stream()
                    .map(disk -> disk.folder().toString())
                    .collect(Collectors.joining(",")));
    try (SparkCluster cluster =
        SparkCluster.start(spec, Path.of("target", "it-work", "LocalFoldersIT"))) {
      // Adaptive execution runs the map stage here. The shuffle stays while the variable is used.
      var shuffled = rows(cluster).repartition(8, col("id")).persist();
      Row ours = summary(shuffled);
      List<Long> used = disks.stream().map(LocalFoldersIT::runBytes).toList();
      assertTrue(used.get(0) > SMALL && used.get(1) > SMALL, used::toString);
      assertTrue(used.get(2) > 0 && used.get(2) <= SMALL, used::toString);
      assertEquals(0, cluster.gauges().sum("read.failures"));
      shuffled.unpersist(true);
      cluster.session().conf().set(ResultComparer.SWITCH, "false");
      assertEquals(summary(rows(cluster).repartition(8, col("id"))), ours);
    }
    for (SmallFileSystem disk : disks) {
      Await.until(
          "nothing is left in " + disk.folder(),
          () -> Folders.under(disk.folder()).noneMatch(path -> isRun(path)));
    }
  }

  private static Dataset<Row> rows(SparkCluster cluster) {
    return cluster
        .session()
        .range(0, ROWS, 1, 16)
        .selectExpr("id", "concat(id, repeat('x', 1000)) text");
  }

  private static Row summary(Dataset<Row> rows) {
    return rows.selectExpr("count(*)", "sum(xxhash64(id, text) % 1000003)", "sum(length(text))")
        .first();
  }

  private static long runBytes(SmallFileSystem disk) {
    return Folders.under(disk.folder())
        .filter(LocalFoldersIT::isRun)
        .mapToLong(LocalFoldersIT::size)
        .sum();
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isRun(Path path) {
    return path.getFileName().toString().endsWith(".runs");
  }
}
