// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.core.TableShuffleHandle;
import io.symshuffle.shuffle.core.TaskEnd;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.read.SymShuffleReader.MapRange;
import io.symshuffle.shuffle.table.TableCopies;
import io.symshuffle.shuffle.table.TableEngine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.AbstractIterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Reads the packed tables of a range of partitions of a range of map tasks, as batches on this GPU
 * of about the size that the columnar engine likes. The reader of a batch closes it.
 *
 * <p>It holds a lease on the shuffle until the task ends.
 *
 * @param <K> 0, always
 * @param <C> a batch on this GPU
 */
public final class TableShuffleReader<K, C> implements ShuffleReader<K, C> {
  private final ShuffleRuntime runtime;
  private final TableEngine engine;
  private final TableShuffleHandle<K, ?, C> handle;
  private final MapRange maps;
  private final int startPartition;
  private final int endPartition;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;

  /** A reader for partitions {@code startPartition} to {@code endPartition - 1}. */
  public TableShuffleReader(
      ShuffleRuntime runtime,
      TableEngine engine,
      TableShuffleHandle<K, ?, C> handle,
      MapRange maps,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    this.runtime = requireNonNull(runtime, "runtime is null");
    this.engine = requireNonNull(engine, "engine is null");
    this.handle = requireNonNull(handle, "handle is null");
    this.maps = requireNonNull(maps, "maps is null");
    this.startPartition = startPartition;
    this.endPartition = endPartition;
    this.context = requireNonNull(context, "context is null");
    this.metrics = requireNonNull(metrics, "metrics is null");
  }

  @Override
  public scala.collection.Iterator<Product2<K, C>> read() {
    // Before anything is looked up: see LeaseTable.
    Lease lease = runtime.leases().acquire(handle.shuffleId());
    TaskEnd.of(context, lease::close);
    FetchFailures failures = new FetchFailures(handle.shuffleId(), startPartition, runtime.stats());
    TableReadPlan plan = plan(failures);
    Iterator<TableSource> sources = plan.tables().iterator();
    if (!plan.remote().isEmpty()) {
      TableTransfer transfer =
          new TableTransfer(
              SparkFetcher.fetch(
                  plan.remote(), endPartition - startPartition > 1, context, metrics),
              plan.remoteSources(),
              failures);
      TaskEnd.of(context, transfer::close);
      sources = new Chained(sources, transfer);
    }
    TableAssembler assembler =
        new TableAssembler(
            engine,
            new TableCopies(engine, runtime.device().map(DeviceTier::kernels)),
            runtime.device(),
            engine.types(handle.dependency()),
            runtime.config().checksum(),
            failures);
    TaskEnd.of(
        context,
        () -> {
          assembler.close();
          context.taskMetrics().mergeShuffleReadMetrics();
        });
    return new InterruptibleIterator<>(
        context, batches(new TableBatch.Cutter(sources, engine.targetBatchBytes()), assembler));
  }

  private TableReadPlan plan(FetchFailures failures) {
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> answer =
        new ArrayList<>(
            CollectionConverters.asJava(
                SparkEnv.get()
                    .mapOutputTracker()
                    .getMapSizesByExecutorId(
                        handle.shuffleId(), maps.start(), maps.end(), startPartition, endPartition)
                    .toSeq()));
    Map<BlockManagerId, Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> byAddress =
        new HashMap<>();
    answer.forEach(ofAddress -> byAddress.put(ofAddress._1(), ofAddress));
    ReadPlan plan = ReadPlan.of(CollectionConverters.asScala(answer.iterator()), runtime);
    return new TableReadPlan.Planner(
            runtime.tables(),
            runtime.device(),
            runtime.myPe(),
            handle.shuffleId(),
            startPartition,
            endPartition,
            failures)
        .plan(plan, byAddress);
  }

  private scala.collection.Iterator<Product2<K, C>> batches(
      TableBatch.Cutter cutter, TableAssembler assembler) {
    return new AbstractIterator<>() {
      @Override
      public boolean hasNext() {
        return cutter.hasNext();
      }

      @Override
      @SuppressWarnings("unchecked") // what the engine registered: an int and a batch
      public Product2<K, C> next() {
        if (!cutter.hasNext()) {
          throw new NoSuchElementException("no batch is left");
        }
        TableBatch batch = cutter.next();
        engine.enter(context);
        ColumnarBatch result = engine.retrying(() -> assembler.assemble(batch));
        assembler.count(batch, runtime.stats());
        report(batch);
        return (Product2<K, C>) (Product2<?, ?>) new Tuple2<>(0, result);
      }
    };
  }

  private void report(TableBatch batch) {
    metrics.incRecordsRead(batch.rows());
    for (TableSource source : batch.sources()) {
      if (source.output().isEmpty()) {
        continue; // Spark's fetcher has counted it
      }
      if (source.output().get().pe() == runtime.myPe()) {
        metrics.incLocalBlocksFetched(1);
        metrics.incLocalBytesRead(source.table().bytes());
      } else {
        metrics.incRemoteBlocksFetched(1);
        metrics.incRemoteBytesRead(source.table().bytes());
      }
    }
  }

  /** What is in reach first; what is on its way has time to come. */
  private record Chained(Iterator<TableSource> first, Iterator<TableSource> second)
      implements Iterator<TableSource> {
    @Override
    public boolean hasNext() {
      return first.hasNext() || second.hasNext();
    }

    @Override
    public TableSource next() {
      return first.hasNext() ? first.next() : second.next();
    }
  }
}
