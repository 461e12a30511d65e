// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static io.symshuffle.it.sql.StreamingSample.assertFlat;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
 * with Spark's sort shuffle, and neither heaps, directories, files nor processes grow with the
 * number of micro-batches.
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

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void nothingGrowsOverAThousandMicroBatches() throws Exception {
    ClusterSpec spec =
        ClusterSpec.localCluster(2, 1)
            .with("spark.symshuffle.heap.size", "64m")
            .with("spark.sql.shuffle.partitions", "2")
            .with("spark.sql.classic.shuffleDependency.fileCleanup.enabled", "true")
            // Spark keeps the last 1,000 of each in the driver, so its memory would grow with them.
            .with("spark.sql.ui.retainedExecutions", "20")
            .with("spark.ui.retainedJobs", "20")
            .with("spark.ui.retainedStages", "20")
            .with("spark.ui.retainedTasks", "100");
    List<StreamingSample> samples = new ArrayList<>();
    try (SparkCluster cluster = SparkCluster.start(spec, folder.resolve("application"))) {
      for (int end : ENDS) {
        List<Row> rows = run(cluster, end, samples);
        assertEquals(expected(cluster, (end + 1L) * ROWS), rows);
      }
      assertTrue(cluster.gauges().sum("written.map.outputs") > ENDS.getLast());
      assertEquals(0, cluster.gauges().sum("written.disk.bytes"));
    }
    assertFlat(samples, "bytes in heaps", StreamingSample::heapBytes, MIB);
    assertFlat(samples, "directory entries", StreamingSample::directoryEntries, 4);
    assertFlat(samples, "files", StreamingSample::files, 0);
    assertFlat(samples, "Java heap of the driver", StreamingSample::driverBytes, 4 * MIB);
    assertFlat(samples, "Java heaps of the executors", StreamingSample::executorBytes, 4 * MIB);
    assertFlat(
        samples, "memory of the executors", StreamingSample::executorResidentBytes, 48 * MIB);
  }

  /** Runs the query up to a micro-batch. Returns its rows. */
  private List<Row> run(SparkCluster cluster, int end, List<StreamingSample> samples)
      throws Exception {
    List<Row> last = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(1);
    VoidFunction2<Dataset<Row>, Long> onBatch =
        (rows, batch) -> {
          if (batch > end) {
            return;
          }
          List<Row> all = rows.orderBy("key").collectAsList();
          if (batch % SAMPLE_EVERY == SAMPLE_EVERY - 1) {
            samples.add(StreamingSample.take(cluster, batch));
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
}
