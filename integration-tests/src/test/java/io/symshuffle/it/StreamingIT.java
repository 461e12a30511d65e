// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stateful streaming query that restarts from its checkpoint. Its rows are those of a batch query
 * with Spark's sort shuffle, and neither heaps, files nor the driver grow with the number of
 * micro-batches.
 */
@Tag("long")
class StreamingIT {
  private static final int ROWS = 500;
  private static final int GROUPS = 50;

  /** Number of the last micro-batch before the restart, and of the last one. */
  private static final List<Integer> ENDS = List.of(499, 999);

  private static final int SAMPLE_EVERY = 20;
  private static final long MIB = 1 << 20;

  @TempDir private Path folder;

  /**
   * What is in use after a micro-batch.
   *
   * @param heapBytes in use in the heaps of all executors
   * @param files in the folders of heaps and of runs
   * @param driverBytes of the driver's Java heap, after a collection
   */
  private record Sample(long batch, long heapBytes, long files, long driverBytes) {}

  @Test
  @Timeout(value = 40, unit = TimeUnit.MINUTES)
  void nothingGrowsOverAThousandMicroBatches() throws Exception {
    List<Sample> samples = new ArrayList<>();
    ClusterSpec spec =
        ClusterSpec.localCluster(2, 1)
            .with("spark.symshuffle.heap.size", "64m")
            .with("spark.sql.shuffle.partitions", "2");
    try (SparkCluster cluster = SparkCluster.start(spec, folder.resolve("application"))) {
      for (int end : ENDS) {
        List<Row> rows = run(cluster, end, samples);
        assertEquals(expected(cluster, (end + 1L) * ROWS), rows);
      }
      assertTrue(cluster.gauges().sum("written.map.outputs") > ENDS.getLast());
      assertEquals(0, cluster.gauges().sum("written.disk.bytes"));
    }
    write(samples);
    assertFlat("heap bytes", samples, Sample::heapBytes, 4 * MIB);
    assertFlat("files", samples, Sample::files, 4);
    assertFlat("bytes of the driver", samples, Sample::driverBytes, 32 * MIB);
  }

  /** Runs the query up to a micro-batch. Returns its rows. */
  private List<Row> run(SparkCluster cluster, int end, List<Sample> samples) throws Exception {
    List<Row> last = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(1);
    VoidFunction2<Dataset<Row>, Long> onBatch =
        (rows, batch) -> {
          if (batch > end) {
            return;
          }
          List<Row> all = rows.orderBy("key").collectAsList();
          if (batch % SAMPLE_EVERY == SAMPLE_EVERY - 1) {
            samples.add(sample(cluster, batch));
          }
          if (batch == end) {
            last.addAll(all);
            done.countDown();
          }
        };
    StreamingQuery query =
        summary(
                cluster
                    .session()
                    .readStream()
                    .format("rate-micro-batch")
                    .option("rowsPerBatch", ROWS)
                    .option("numPartitions", 2)
                    .load()
                    .select(col("value")))
            .writeStream()
            .outputMode("complete")
            .option("checkpointLocation", folder.resolve("checkpoint").toString())
            .foreachBatch(onBatch)
            .start();
    try {
      while (!done.await(1, TimeUnit.SECONDS)) {
        assertTrue(query.isActive(), () -> "the query ended: " + query.exception());
      }
    } finally {
      query.stop();
    }
    return last;
  }

  private static Sample sample(SparkCluster cluster, long batch) {
    long heap = cluster.gauges().sum("heap.used.bytes");
    long files =
        Folders.under(Path.of(cluster.session().conf().get("spark.symshuffle.heap.dir"))).count()
            + Folders.under(Path.of(cluster.session().conf().get("spark.local.dir")))
                .filter(path -> path.getFileName().toString().endsWith(".runs"))
                .count();
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return new Sample(batch, heap, files, runtime.totalMemory() - runtime.freeMemory());
  }

  private static List<Row> expected(SparkCluster cluster, long rows) {
    cluster.session().conf().set(ResultComparer.SWITCH, "false");
    try {
      return summary(cluster.session().range(rows).select(col("id").as("value")))
          .orderBy("key")
          .collectAsList();
    } finally {
      cluster.session().conf().set(ResultComparer.SWITCH, "true");
    }
  }

  private static Dataset<Row> summary(Dataset<Row> values) {
    return values
        .groupBy(col("value").mod(GROUPS).as("key"))
        .agg(count(lit(1)).as("rows"), sum("value").as("sum"));
  }

  /** Compares the last quarter with the quarter after the first: by then all code is compiled. */
  private static void assertFlat(
      String what, List<Sample> samples, ToLongFunction<Sample> value, long tolerance) {
    int quarter = samples.size() / 4;
    long before = most(samples.subList(quarter, 2 * quarter), value);
    long after = most(samples.subList(3 * quarter, samples.size()), value);
    assertTrue(
        after <= before + tolerance,
        () -> "%s grew from %d to %d: %s".formatted(what, before, after, samples));
  }

  private static long most(List<Sample> samples, ToLongFunction<Sample> value) {
    return samples.stream().mapToLong(value).max().orElseThrow();
  }

  private static void write(List<Sample> samples) throws IOException {
    StringBuilder csv = new StringBuilder("batch,heap bytes,files,driver bytes\n");
    for (Sample sample : samples) {
      csv.append(
          "%d,%d,%d,%d%n"
              .formatted(sample.batch, sample.heapBytes, sample.files, sample.driverBytes));
    }
    Path file = Path.of("target", "pages", "streaming.csv");
    Files.createDirectories(file.getParent());
    Files.writeString(file, csv);
    System.out.println(csv);
  }
}
