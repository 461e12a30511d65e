// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static java.util.Objects.requireNonNull;

import io.symshuffle.kernel.Kernels;
import io.symshuffle.shuffle.ShuffleRuntime;
import io.symshuffle.shuffle.TableShuffleHandle;
import io.symshuffle.shuffle.TaskEnd;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.TableCopies;
import io.symshuffle.shuffle.table.TableEngine;
import java.io.IOException;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;

/**
 * Writes the packed tables of one map task.
 *
 * @param <K> the partition's number
 * @param <V> a batch with one packed table
 */
public final class TableShuffleWriter<K, V> extends ShuffleWriter<K, V> {
  /** The engine computes no row checksums. */
  private static final long NO_CHECKSUM = 0;

  private final TableShuffleHandle<K, V, ?> handle;
  private final TableEngine engine;
  private final long mapId;
  private final TaskContext context;
  private final ShuffleWriteMetricsReporter metrics;
  private final TableWriter output;
  private boolean stopped;

  /** A writer for one map task attempt. */
  public TableShuffleWriter(
      ShuffleRuntime runtime,
      TableEngine engine,
      TableShuffleHandle<K, V, ?> handle,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    this.handle = requireNonNull(handle, "handle is null");
    this.engine = requireNonNull(engine, "engine is null");
    this.mapId = mapId;
    this.context = requireNonNull(context, "context is null");
    this.metrics = requireNonNull(metrics, "metrics is null");
    int partitions = handle.dependency().partitioner().numPartitions();
    Optional<Kernels> kernels = runtime.device().map(DeviceTier::kernels);
    this.output =
        new TableWriter(
            runtime.store().createTables(new MapOutputId(handle.shuffleId(), mapId), partitions),
            new TableCopies(engine, kernels),
            runtime.device(),
            partitions,
            runtime.config().checksum(),
            runtime.stats());
    // Spark does not call stop for every way in which a task can end.
    TaskEnd.of(context, output::abort);
  }

  @Override
  public void write(Iterator<Product2<K, V>> records) throws IOException {
    long rows = 0;
    while (records.hasNext()) {
      Product2<K, V> record = records.next();
      Optional<PackedTable> table = engine.packed((ColumnarBatch) record._2());
      if (table.isPresent()) {
        rows += table.get().rows();
        output.add((Integer) record._1(), table.get());
      }
      context.killTaskIfInterrupted();
    }
    metrics.incRecordsWritten(rows);
  }

  @Override
  public Option<MapStatus> stop(boolean success) {
    if (stopped) {
      return Option.empty();
    }
    stopped = true;
    if (!success) {
      output.abort();
      return Option.empty();
    }
    try {
      output.commit();
    } catch (IOException e) {
      output.abort();
      throw TableShuffleWriter.<RuntimeException>unchecked(e);
    }
    metrics.incBytesWritten(output.dataBytes());
    metrics.incWriteTime(output.nanos());
    engine.countData(handle.dependency(), output.dataBytes());
    return Option.apply(
        MapStatus.apply(
            SparkEnv.get().blockManager().shuffleServerId(),
            output.partitionBytes(),
            mapId,
            NO_CHECKSUM));
  }

  @Override
  public long[] getPartitionLengths() {
    return output.partitionBytes();
  }

  /** Scala's {@code stop} declares nothing, but Spark's own writers throw I/O errors from it. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> E unchecked(Exception e) throws E {
    throw (E) e;
  }
}
