// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.task.SymShuffleHandle;
import java.io.IOException;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import scala.Product2;
import scala.collection.Iterator;

/** Base class of the writers that write record by record. */
abstract class RecordShuffleWriter<K, V> extends MapTaskWriter<K, V> {
  private final SymShuffleHandle<K, V, ?> handle;
  private final ShuffleWriteMetricsReporter metrics;
  private final RecordOutput output;

  RecordShuffleWriter(
      ShuffleRuntime runtime,
      RecordOutputFactory outputs,
      SymShuffleHandle<K, V, ?> handle,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    requireNonNull(handle, "handle is null");
    RecordOutput made =
        outputs.open(
            runtime,
            new MapOutputId(handle.shuffleId(), mapId),
            handle.dependency().partitioner().numPartitions());
    super(made, mapId, context, metrics);
    this.handle = handle;
    this.metrics = metrics;
    this.output = made;
  }

  /**
   * Writes all records to {@code output}.
   *
   * @return the number of records
   */
  protected abstract long writeRecords(Iterator<Product2<K, V>> records, RecordOutput output)
      throws IOException;

  @Override
  public final void write(Iterator<Product2<K, V>> records) throws IOException {
    metrics.incRecordsWritten(writeRecords(records, output));
  }

  final ShuffleDependency<K, V, ?> dependency() {
    return handle.dependency();
  }

  @Override
  protected final long rowChecksum() {
    return RowBasedChecksum.getAggregatedChecksumValue(dependency().rowBasedChecksums());
  }
}
