// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.write.MapTaskWriter;
import io.symshuffle.shuffle.write.SortShuffleSizes;
import java.io.IOException;
import java.util.Optional;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Product2;
import scala.collection.Iterator;

/**
 * Writes the tables of one map task.
 *
 * @param <K> the partition's number
 * @param <V> a batch of the engine
 */
public final class TableShuffleWriter<K, V> extends MapTaskWriter<K, V, TableWriter> {
  private final TableShuffleHandle<K, V, ?> handle;
  private final TableEngine engine;
  private final TaskContext context;

  public TableShuffleWriter(
      ShuffleRuntime runtime,
      TableEngine engine,
      TableShuffleHandle<K, V, ?> handle,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    super(
        output(runtime, engine, handle, mapId),
        runtime.stats().usage().of(handle.shuffleId()),
        mapId,
        context,
        metrics);
    this.handle = handle;
    this.engine = engine;
    this.context = context;
  }

  private static TableWriter output(
      ShuffleRuntime runtime, TableEngine engine, TableShuffleHandle<?, ?, ?> handle, long mapId) {
    int partitions = handle.dependency().partitioner().numPartitions();
    return new TableWriter(
        runtime.store().buildTables(new MapOutputId(handle.shuffleId(), mapId), partitions),
        TableCopies.ofTask(runtime, engine),
        runtime.device(),
        partitions,
        runtime.config().packsTables(),
        runtime.config().checksum(),
        SortShuffleSizes.ofApplication(false),
        runtime.stats());
  }

  @Override
  public void write(Iterator<Product2<K, V>> records) throws IOException {
    DataType[] types = engine.types(handle.dependency());
    engine.splitWhole(records, types, handle.rowChecksums());
    long rows = 0;
    while (records.hasNext()) {
      Product2<K, V> record = records.next();
      Optional<SplitBatch> batch =
          engine.split(
              (Integer) record._1(), (ColumnarBatch) record._2(), types, handle.rowChecksums());
      if (batch.isPresent()) {
        rows += batch.get().tables().stream().mapToLong(SplitBatch.Table::rows).sum();
        output.add(batch.get());
      }
      context.killTaskIfInterrupted();
    }
    metrics.incRecordsWritten(rows);
  }

  @Override
  protected SortShuffleSizes sizes() {
    return output.sizes();
  }

  @Override
  protected long rowChecksum() {
    return output.rowChecksum();
  }

  @Override
  protected void published(long bytes) {
    engine.addDataSize(handle.dependency(), bytes);
  }
}
