// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import io.symshuffle.benchmarks.barrier.Collective;
import io.symshuffle.benchmarks.barrier.Provider;
import io.symshuffle.benchmarks.faults.HeapLoss;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.ResultColumns;
import io.symshuffle.benchmarks.workload.ShuffleCase;
import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.benchmarks.workload.TableGenerator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.commons.io.function.IOConsumer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes requests. */
final class Requests {
  private static final Logger LOG = LoggerFactory.getLogger(Requests.class);

  private static final Set<DataType> FLOATING_POINT =
      Set.of(DataTypes.DoubleType, DataTypes.FloatType);
  private static final Duration TIME_TO_JOIN = Duration.ofMinutes(5);
  private static final String PARTITIONS = "spark.sql.shuffle.partitions";

  private final SparkSession spark;
  private final ShuffleMeter meter;
  private final int executors;

  /**
   * @param spark whose executors have joined
   */
  Requests(SparkSession spark, ShuffleMeter meter) {
    this.spark = spark;
    this.meter = meter;
    this.executors = BenchmarkApplication.executors(spark.sparkContext());
  }

  Reply answer(Request request, IOConsumer<Reply.Progress> sink) throws Exception {
    return switch (request) {
      case Request.Generate generate ->
          new Reply.Generated(
              new TableGenerator(
                      spark, Suite.named(generate.suite()).tables(), generate.scale(), sink)
                  .write(generate.tables(), Path.of(generate.folder())));
      case Request.Tables tables -> {
        Suite.named(tables.suite())
            .tables()
            .register(spark, tables.tables(), Path.of(tables.folder()));
        yield new Reply.Done();
      }
      case Request.Query query ->
          measure(query.name(), () -> spark.sql(query.sql()), query.rowsFile());
      case Request.Twice twice -> {
        Dataset<Row> dataset = spark.sql(twice.sql());
        List<Row> first = dataset.collectAsList();
        if (!twice.lostHeaps().isEmpty()) {
          LOG.info("Lost {} heaps", HeapLoss.strike(Path.of(twice.lostHeaps())));
        }
        LOG.info("The first run returned {} rows", first.size());
        yield measure(twice.name(), () -> dataset, twice.rowsFile());
      }
      case Request.Case job -> {
        // The case sets it for itself.
        String partitions = spark.conf().get(PARTITIONS);
        try {
          yield measure(
              job.name() + (job.exchange() ? "" : " without its exchange"),
              () ->
                  ShuffleCase.named(job.name())
                      .dataset(spark, job.rows(), job.maps(), job.partitions(), job.exchange()),
              job.rowsFile());
        } finally {
          spark.conf().set(PARTITIONS, partitions);
        }
      }
      case Request.Collect collect ->
          new Reply.Counted(
              Collective.named(collect.method())
                  .run(
                      spark.sparkContext(),
                      Provider.valueOf(collect.provider()),
                      collect.tasks(),
                      collect.bytes(),
                      collect.times()));
      case Request.AwaitExecutors await -> {
        awaitExecutors();
        yield new Reply.Done();
      }
      case Request.Announce announce -> {
        meter.announce(() -> send(sink));
        yield new Reply.Done();
      }
      case Request.Counters counters ->
          new Reply.Counted(ExecutorCounters.read(spark.sparkContext()));
      case Request.Clean clean -> {
        ShuffleCleaner.clean(spark.sparkContext());
        yield new Reply.Done();
      }
      case Request.Leaks leaks ->
          new LeakProbe(spark.sparkContext(), Path.of(leaks.heaps()), Path.of(leaks.local()))
              .look(Duration.ofSeconds(leaks.seconds()));
      case Request.Stop stop -> new Reply.Done();
    };
  }

  /** Spark starts others in place of those that died. */
  private void awaitExecutors() throws InterruptedException {
    long deadline = System.nanoTime() + TIME_TO_JOIN.toNanos();
    while (BenchmarkApplication.executors(spark.sparkContext()) < executors) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "an executor that ended was not replaced within " + TIME_TO_JOIN.toSeconds() + " s");
      }
      Thread.sleep(20);
    }
  }

  private static void send(IOConsumer<Reply.Progress> sink) {
    try {
      sink.accept(new Reply.Progress("a stage reads a shuffle", 1, 2));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Runs a query on a new Dataset, since one that ran before would reuse its shuffle output. Its
   * jobs have the name in Spark's UI and event log.
   */
  private Reply measure(String name, Supplier<Dataset<Row>> query, String rowsFile)
      throws Exception {
    spark.sparkContext().setJobDescription(name);
    try {
      meter.takeStages();
      long start = System.nanoTime();
      Dataset<Row> dataset = query.get();
      List<Row> rows = dataset.collectAsList();
      double seconds = (System.nanoTime() - start) / 1e9;
      CanonicalRows.write(rows, Path.of(rowsFile));
      return new Reply.Measured(seconds, rows.size(), columns(dataset), meter.takeStages());
    } finally {
      spark.sparkContext().setJobDescription(null);
    }
  }

  private static ResultColumns columns(Dataset<Row> dataset) {
    StructField[] fields = dataset.schema().fields();
    return new ResultColumns(
        SortKeys.of(dataset.queryExecution().analyzed()),
        IntStream.range(0, fields.length)
            .filter(i -> FLOATING_POINT.contains(fields[i].dataType()))
            .boxed()
            .toList());
  }
}
