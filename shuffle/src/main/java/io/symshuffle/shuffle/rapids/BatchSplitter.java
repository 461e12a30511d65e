// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.shuffle.table.SplitBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Function0;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Makes RAPIDS' exchanges split an input batch into one buffer. RAPIDS itself allocates GPU memory
 * for each partition of each batch, through a lock of CUDA's driver.
 *
 * <p>RAPIDS hands a shuffle writer an iterator that takes input batches, and calls a function that
 * partitions and slices one ({@code getParts} in {@code
 * GpuShuffleExchangeExecBase.prepareBatchShuffleDependency}). Only this function is replaced, so
 * spilling, retries with halves of a batch when GPU memory is exhausted, metrics and closing stay
 * RAPIDS' own. The new one partitions with the method of RAPIDS' partitioner, and serializes with
 * Kudo's GPU serializer. Thread-safe.
 */
final class BatchSplitter {
  /** What happens where it cannot be used. */
  static final String OTHERWISE =
      "RAPIDS allocates GPU memory for each partition of each batch, which is slow for many";

  private static final String RAPIDS = "com.nvidia.spark.rapids.";

  /** How many iterators may be around that of the exchange. */
  private static final int MAX_DEPTH = 4;

  private final TableSerializer serializer;
  private final Class<?> exchangeIterator;
  private final Member function;
  private final Member setFunction;
  private final Class<?> trackingIterator;
  private final Member tracked;
  private final Class<?> expression;
  private final Class<?> metric;
  private final Member time;
  private final Member partitions;
  private final List<Partitioning> partitionings;
  private final Member columns;
  private final Member column;
  private final Member semaphore;
  private final Member release;

  /** A kind of partitioner, and its method that orders the rows of a batch, and closes it. */
  private record Partitioning(Class<?> type, Member partition) {}

  /**
   * @throws RapidsMismatchException if a member is missing; the message names it
   */
  BatchSplitter(Members members, TableSerializer serializer) throws RapidsMismatchException {
    this.serializer = serializer;
    this.exchangeIterator =
        members.type("org.apache.spark.sql.rapids.execution.GpuShuffleExchangeExecBase$$anon$1");
    this.function = members.privateField(exchangeIterator, "getParts$1", Function1.class);
    this.setFunction = members.privateSetter(exchangeIterator, "getParts$1", Function1.class);
    this.trackingIterator = members.type(RAPIDS + "GpuOpTimeTrackingRDD$$anon$1");
    this.tracked = members.privateField(trackingIterator, "childIterator$1", Iterator.class);
    this.expression = members.type(RAPIDS + "GpuPartitioning");
    this.metric = members.type(RAPIDS + "GpuMetric");
    this.time = members.method(metric, "ns", Object.class, Function0.class);
    this.partitions = members.method(expression, "numPartitions", int.class);
    Class<?> hash = members.type(RAPIDS + "GpuHashPartitioningBase");
    Class<?> range = members.type(RAPIDS + "GpuRangePartitioner");
    Class<?> roundRobin = members.type(RAPIDS + "GpuRoundRobinPartitioning");
    this.partitionings =
        List.of(
            new Partitioning(
                hash,
                members.method(
                    hash, "partitionInternalAndClose", Tuple2.class, ColumnarBatch.class)),
            new Partitioning(
                range,
                members.method(
                    range, "computeBoundsAndCloseWithRetry", Tuple2.class, ColumnarBatch.class)),
            new Partitioning(
                roundRobin,
                members.privateMethod(
                    roundRobin, "partitionInternalWithClose", Tuple2.class, ColumnarBatch.class)));
    Class<?> gpuColumn = members.type(RAPIDS + "GpuColumnVector");
    this.columns =
        members.staticMethod(
            gpuColumn, "extractColumns", gpuColumn.arrayType(), ColumnarBatch.class);
    this.column = members.method(gpuColumn, "getBase", members.type("ai.rapids.cudf.ColumnVector"));
    Class<?> semaphoreType = members.type(RAPIDS + "GpuSemaphore$");
    this.semaphore = members.staticField(semaphoreType, "MODULE$", semaphoreType);
    this.release =
        members.method(semaphoreType, "releaseIfNecessary", void.class, TaskContext.class);
  }

  /** The tables of one input batch, as RAPIDS' iterator passes them on with the first of them. */
  static final class WholeBatch extends ColumnarBatch {
    private final SplitBatch tables;

    WholeBatch(SplitBatch tables) {
      super(new ColumnVector[0], Math.toIntExact(tables.tables().getFirst().rows()));
      this.tables = tables;
    }

    SplitBatch tables() {
      return tables;
    }

    @Override
    public void close() {
      tables.close();
      super.close();
    }
  }

  /**
   * Another table of the batch that came before, for RAPIDS' counts of rows and of batches; it has
   * nothing to close.
   */
  static final class CountedBatch extends ColumnarBatch {
    CountedBatch(long rows) {
      super(new ColumnVector[0], Math.toIntExact(rows));
    }
  }

  /**
   * Replaces the function of an exchange's iterator, unless that was done before.
   *
   * @param records what RAPIDS passes to the shuffle writer, before the first record is taken
   * @return why RAPIDS slices the batches itself; empty if it does not
   */
  Optional<String> install(Iterator<?> records, DataType[] types, boolean hashRows) {
    Object iterator = records;
    for (int depth = 0; depth < MAX_DEPTH && trackingIterator.isInstance(iterator); depth++) {
      iterator = tracked.call(iterator);
    }
    if (!exchangeIterator.isInstance(iterator)) {
      return Optional.of("its exchange uses " + iterator.getClass().getName());
    }
    Object getParts = function.call(iterator);
    if (getParts instanceof Split) {
      return Optional.empty();
    }
    Optional<Object> partitioner = Members.captured(getParts, expression);
    Optional<Object> timer = Members.captured(getParts, metric);
    if (partitioner.isEmpty() || timer.isEmpty()) {
      return Optional.of(
          "the function that partitions has no partitioner or metric: " + getParts.getClass());
    }
    if (!isSingle(partitioner.get()) && partitioning(partitioner.get()).isEmpty()) {
      return Optional.of("it partitions with " + partitioner.get().getClass().getName());
    }
    @SuppressWarnings("unchecked") // as declared in Scala
    Function1<ColumnarBatch, Object> original = (Function1<ColumnarBatch, Object>) getParts;
    setFunction.call(
        iterator, new Split(original, partitioner.get(), timer.get(), types, hashRows));
    return Optional.empty();
  }

  private boolean isSingle(Object partitioner) {
    return (int) partitions.call(partitioner) == 1;
  }

  private Optional<Partitioning> partitioning(Object partitioner) {
    return partitionings.stream().filter(each -> each.type().isInstance(partitioner)).findFirst();
  }

  /** What RAPIDS' iterator calls for each input batch, or half of one, and closes it. */
  private final class Split implements Function1<ColumnarBatch, Object> {
    private final Function1<ColumnarBatch, Object> original;
    private final Object partitioner;
    private final Object timer;
    private final DataType[] types;
    private final boolean hashRows;

    Split(
        Function1<ColumnarBatch, Object> original,
        Object partitioner,
        Object timer,
        DataType[] types,
        boolean hashRows) {
      this.original = original;
      this.partitioner = partitioner;
      this.timer = timer;
      this.types = types;
      this.hashRows = hashRows;
    }

    @Override
    public Object apply(ColumnarBatch batch) {
      if (batch.numCols() == 0) {
        return original.apply(batch);
      }
      Function0<Object> split = () -> split(batch);
      return time.call(timer, split);
    }

    /** An array of pairs of a batch and its partition, as RAPIDS' iterator expects. */
    private Object split(ColumnarBatch batch) {
      int count = (int) partitions.call(partitioner);
      int rows = batch.numRows();
      int[] starts = {0};
      AutoCloseable[] ordered;
      if (count == 1) {
        ordered = (AutoCloseable[]) columns.call(batch);
      } else {
        Tuple2<?, ?> both =
            (Tuple2<?, ?>)
                partitioning(partitioner).orElseThrow().partition().call(partitioner, batch);
        starts = (int[]) both._1();
        ordered = (AutoCloseable[]) both._2();
      }
      SplitBatch tables;
      try {
        tables = serialize(ordered, starts, count, rows);
      } finally {
        for (AutoCloseable each : ordered) {
          RapidsEngine.close(each);
        }
      }
      release.call(semaphore.call(), TaskContext.get());
      List<Tuple2<ColumnarBatch, Object>> pairs = new ArrayList<>(tables.tables().size());
      for (SplitBatch.Table table : tables.tables()) {
        ColumnarBatch of =
            pairs.isEmpty() ? new WholeBatch(tables) : new CountedBatch(table.rows());
        pairs.add(new Tuple2<>(of, table.partition()));
      }
      return pairs.toArray(new Tuple2<?, ?>[0]);
    }

    /**
     * @param starts the first row of each partition; more than partitions are ignored
     */
    private SplitBatch serialize(AutoCloseable[] ordered, int[] starts, int count, int rows) {
      int[] ends = new int[count];
      for (int i = 0; i < count; i++) {
        ends[i] = i + 1 < Math.min(count, starts.length) ? starts[i + 1] : rows;
      }
      List<Object> bases = new ArrayList<>(ordered.length);
      for (AutoCloseable each : ordered) {
        bases.add(column.call(each));
      }
      return serializer.serialize(bases, types, 0, ends, hashRows);
    }
  }
}
