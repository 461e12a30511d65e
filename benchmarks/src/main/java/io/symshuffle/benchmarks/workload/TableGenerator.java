// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import io.symshuffle.benchmarks.protocol.ProgressSink;
import io.symshuffle.benchmarks.protocol.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * Generates tables as Spark jobs: each task generates and writes one part of one table. Several
 * tables are generated at a time, since a table with few parts would leave cores idle.
 */
public final class TableGenerator {
  private static final int MAX_TABLES_AT_A_TIME = 8;

  private final SparkSession spark;
  private final TableSet tables;
  private final double scale;
  private final ProgressSink progress;

  /** Creates a generator with a scale factor above 0; one thread reports the progress. */
  public TableGenerator(SparkSession spark, TableSet tables, double scale, ProgressSink progress) {
    this.spark = spark;
    this.tables = tables;
    this.scale = scale;
    this.progress = progress;
  }

  /**
   * Writes or replaces tables.
   *
   * @param names names of the tables, slowest first
   * @param folder gets a folder per table
   * @return number of rows per table
   * @throws IOException if the progress cannot be reported
   * @throws InterruptedException if this thread is interrupted; jobs may continue for a while
   */
  public Map<String, Long> write(List<String> names, Path folder)
      throws IOException, InterruptedException {
    int atATime = Math.min(MAX_TABLES_AT_A_TIME, spark.sparkContext().defaultParallelism());
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.max(1, atATime), Thread.ofPlatform().daemon().name("tables-", 0).factory());
    try {
      ExecutorCompletionService<Map.Entry<String, Long>> jobs =
          new ExecutorCompletionService<>(threads);
      for (String table : names) {
        jobs.submit(() -> Map.entry(table, write(table, folder)));
      }
      int total = names.stream().mapToInt(table -> tables.parts(table, scale)).sum();
      int done = 0;
      Map<String, Long> rows = new TreeMap<>();
      progress.accept(new Reply.Progress(names.size() + " tables", 0, total));
      while (rows.size() < names.size()) {
        Map.Entry<String, Long> table = jobs.take().get();
        rows.put(table.getKey(), table.getValue());
        done += tables.parts(table.getKey(), scale);
        progress.accept(new Reply.Progress(table.getKey(), done, total));
      }
      return rows;
    } catch (ExecutionException e) {
      throw new IllegalStateException("A table was not generated", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private long write(String table, Path folder) {
    String path = folder.resolve(table).toUri().toString();
    int parts = tables.parts(table, scale);
    spark
        .range(0, parts, 1, parts)
        .mapPartitions(part(tables, table, scale, parts), Encoders.row(tables.schema(table)))
        .write()
        .option("maxRecordsPerFile", tables.rowsPerFile())
        .mode(SaveMode.Overwrite)
        .parquet(path);
    return spark.read().parquet(path).count();
  }

  /** Static, so that only its arguments are sent to the executors. */
  private static MapPartitionsFunction<Long, Row> part(
      TableSet tables, String table, double scale, int parts) {
    return numbers ->
        numbers.hasNext()
            ? tables.rows(table, scale, Math.toIntExact(numbers.next()) + 1, parts)
            : Collections.emptyIterator();
  }
}
