// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import io.symshuffle.benchmarks.protocol.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.commons.io.function.IOConsumer;
import org.apache.spark.SparkStageInfo;
import org.apache.spark.SparkStatusTracker;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.OptionConverters;

/**
 * Generates tables as Spark jobs: each task generates and writes one part of one table. Several
 * tables are generated at a time, since a table with few parts would leave cores idle.
 */
public final class TableGenerator {
  private static final int MAX_TABLES_AT_A_TIME = 8;

  private final SparkSession spark;
  private final TableSet tables;
  private final double scale;
  private final IOConsumer<Reply.Progress> progress;

  /** Creates a generator with a scale factor above 0; one thread reports the progress. */
  public TableGenerator(
      SparkSession spark, TableSet tables, double scale, IOConsumer<Reply.Progress> progress) {
    this.spark = spark;
    this.tables = tables;
    this.scale = scale;
    this.progress = progress;
  }

  /**
   * Writes or replaces tables.
   *
   * @param folder gets a folder per table
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
      Map<String, Long> rows = new TreeMap<>();
      progress.accept(progress(names, rows));
      while (rows.size() < names.size()) {
        Future<Map.Entry<String, Long>> table = jobs.poll(1, TimeUnit.SECONDS);
        if (table != null) {
          rows.put(table.get().getKey(), table.get().getValue());
        }
        progress.accept(progress(names, rows));
      }
      return rows;
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot generate a table", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private Reply.Progress progress(List<String> names, Map<String, Long> finished) {
    int done = 0;
    int total = 0;
    for (String table : names) {
      int parts = tables.parts(table, scale);
      total += parts;
      done += finished.containsKey(table) ? parts : Math.min(parts, finishedTasks(table));
    }
    return new Reply.Progress(finished.size() + " of " + names.size() + " tables", done, total);
  }

  private int finishedTasks(String table) {
    SparkStatusTracker tracker = spark.sparkContext().statusTracker();
    return Arrays.stream(tracker.getJobIdsForGroup(group(table)))
        .mapToObj(tracker::getJobInfo)
        .flatMap(job -> OptionConverters.toJava(job).stream())
        .flatMapToInt(job -> Arrays.stream(job.stageIds()))
        .mapToObj(tracker::getStageInfo)
        .flatMap(stage -> OptionConverters.toJava(stage).stream())
        .mapToInt(SparkStageInfo::numCompletedTasks)
        .sum();
  }

  private static String group(String table) {
    return "generate " + table;
  }

  private long write(String table, Path folder) {
    String path = folder.resolve(table).toUri().toString();
    int parts = tables.parts(table, scale);
    StructType schema = tables.schema(table);
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    context.setJobGroup(group(table), group(table));
    JavaRDD<InternalRow> rows =
        context
            .parallelize(IntStream.rangeClosed(1, parts).boxed().toList(), parts)
            .flatMap(part(tables, table, scale, parts));
    // Rows in Spark's internal form: conversion from those of the public API takes several times
    // longer than to generate them.
    ((org.apache.spark.sql.classic.SparkSession) spark)
        .internalCreateDataFrame(rows.rdd(), schema, false)
        .write()
        .option("maxRecordsPerFile", tables.rowsPerFile(scale))
        .mode(SaveMode.Overwrite)
        .parquet(path);
    return spark.read().schema(schema).parquet(path).count();
  }

  /** Static, so that only its arguments are sent to the executors. */
  private static FlatMapFunction<Integer, InternalRow> part(
      TableSet tables, String table, double scale, int parts) {
    return part -> tables.rows(table, scale, part, parts);
  }
}
