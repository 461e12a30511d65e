// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Loads the classes that most Spark processes of the tests need, for an archive of classes. */
public final class LoadClasses {
  private static final List<String> OTHER_PROCESSES =
      List.of(
          "org.apache.spark.executor.CoarseGrainedExecutorBackend",
          "org.apache.spark.deploy.master.Master",
          "org.apache.spark.deploy.worker.Worker",
          "org.apache.spark.deploy.LocalSparkCluster");

  private LoadClasses() {}

  /**
   * Runs queries.
   *
   * @param arguments none
   */
  public static void main(String[] arguments) throws Exception {
    for (String name : OTHER_PROCESSES) {
      Class.forName(name);
    }
    SparkSession session =
        SparkSession.builder()
            .config("spark.sql.shuffle.partitions", 2)
            .config("spark.sql.autoBroadcastJoinThreshold", -1)
            .getOrCreate();
    Dataset<Row> rows =
        session.range(0, 1000, 1, 2).selectExpr("id", "id % 10 AS k", "string(id) AS s");
    rows.groupBy("k").count().join(rows, "k").orderBy("id").collectAsList();
    Path folder = Files.createTempDirectory(Path.of(session.conf().get("spark.local.dir")), "t");
    rows.write().mode("overwrite").parquet(folder.toString());
    session.read().parquet(folder.toString()).repartition(3).collectAsList();
    session.stop();
  }
}
