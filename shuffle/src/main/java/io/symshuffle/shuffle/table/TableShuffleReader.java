// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.shuffle.read.InPlaceAccess;
import io.symshuffle.shuffle.read.ReadPlan;
import io.symshuffle.shuffle.read.ReadRequest;
import io.symshuffle.shuffle.read.ReadTask;
import io.symshuffle.shuffle.read.ReduceTaskReader;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.task.TaskEnd;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;

/**
 * Reads tables: those of a range of partitions of a range of map tasks, as batches on this GPU of
 * about the engine's target size. The consumer of a batch closes it.
 *
 * @param <K> always 0
 * @param <C> a batch on this GPU
 */
public final class TableShuffleReader<K, C> extends ReduceTaskReader<K, C> {
  private final TableEngine engine;
  private final TableShuffleHandle<K, ?, C> handle;

  /** The map outputs that were read in place and counted as blocks. */
  private final Set<Long> counted = new HashSet<>();

  /** Null until {@link #read} is called. */
  private TaskBatches assembler;

  public TableShuffleReader(
      ShuffleRuntime runtime,
      TableEngine engine,
      TableShuffleHandle<K, ?, C> handle,
      ReadRequest request,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    super(runtime, request, context, metrics);
    this.engine = engine;
    this.handle = handle;
  }

  @Override
  protected scala.collection.Iterator<Product2<K, C>> read(ReadTask task, InPlaceAccess access) {
    InPlaceTables local = new InPlaceTables(task, runtime().device());
    ReadPlan plan = plan(task, local::tryAdd);
    Iterator<TableRef> tables = local.inOrder(runtime().myPe()).iterator();
    FirstBatchGate.OfTask ofTask =
        runtime().shared(FirstBatchGate.class, FirstBatchGate::new).of(context());
    TableBatch.Cutter cutter;
    if (plan.remote().isEmpty()) {
      cutter = new TableBatch.Cutter(tables, engine.targetBatchBytes(), () -> false);
    } else {
      ArrivalMemory memory = new ArrivalMemory(Optional.of(TableCopies.pinned(runtime(), engine)));
      TaskEnd.listen(context(), memory::close);
      Iterator<TableRef> fetched =
          new TableTransfer(
              fetch(task, plan), memory, runtime().device().isPresent(), task.stats());
      cutter =
          new TableBatch.Cutter(
              new Chained(tables, fetched), engine.targetBatchBytes(), memory::isShort);
      ofTask.add(
          () -> {
            // Without pinned memory it would take more native memory than one batch at a time.
            if (memory.hasRoom()) {
              cutter.gather();
            }
          });
    }
    assembler =
        new TaskBatches(
            access,
            () ->
                new BatchAssembler(
                    engine,
                    TableCopies.ofTask(runtime(), engine),
                    runtime().device(),
                    engine.types(handle.dependency()),
                    task));
    return batches(
        task,
        cutter,
        () -> {
          // On other threads, this reader's own batches are all that may be read.
          if (access.isDirect()) {
            ofTask.gather();
          }
        });
  }

  /** Each GPU packs what is in its own memory: another one may not reach it. */
  @Override
  protected boolean asksOwners() {
    return true;
  }

  @Override
  protected boolean endReads() {
    if (assembler == null) {
      return true;
    }
    boolean done = assembler.settle();
    assembler.close();
    return done;
  }

  private scala.collection.Iterator<Product2<K, C>> batches(
      ReadTask task, TableBatch.Cutter cutter, Runnable beforeGpu) {
    return new AbstractIterator<>() {
      @Override
      public boolean hasNext() {
        return cutter.hasNext();
      }

      @Override
      @SuppressWarnings("unchecked") // the types that the engine registered: an int and a batch
      public Product2<K, C> next() {
        TableBatch batch = cutter.next();
        beforeGpu.run();
        long start = System.nanoTime();
        engine.acquireGpu(context());
        task.stats().addSince(ShuffleCounter.RECEIVE_GPU_NANOS, start);
        ColumnarBatch result = engine.withRetry(() -> assembler.assemble(batch));
        batch.close();
        report(batch);
        return (Product2<K, C>) (Product2<?, ?>) new Tuple2<>(0, result);
      }
    };
  }

  private void report(TableBatch batch) {
    metrics().incRecordsRead(batch.rows());
    for (TableRef source : batch.sources()) {
      if (source.output().isEmpty()) {
        continue; // counted by Spark's fetcher
      }
      // As in Spark's batch fetch, all partitions of a map output are one block.
      int blocks = counted.add(source.map().mapId()) ? 1 : 0;
      if (source.output().get().pe() == runtime().myPe()) {
        metrics().incLocalBlocksFetched(blocks);
        metrics().incLocalBytesRead(source.table().bytes());
      } else {
        metrics().incRemoteBlocksFetched(blocks);
        metrics().incRemoteBytesRead(source.table().bytes());
      }
    }
  }

  /** Local tables first, while the others are being fetched. */
  private record Chained(Iterator<TableRef> first, Iterator<TableRef> second)
      implements Iterator<TableRef> {
    @Override
    public boolean hasNext() {
      return first.hasNext() || second.hasNext();
    }

    @Override
    public TableRef next() {
      return first.hasNext() ? first.next() : second.next();
    }
  }
}
