// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.task.RowShuffleHandle;
import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import scala.Product2;
import scala.collection.Iterator;

/** Base class of the writers that write record by record. */
abstract class RecordShuffleWriter<K, V> extends MapTaskWriter<K, V, MapOutputWriter> {
  private final RowShuffleHandle<K, V, ?> handle;
  private final RowChecksums checksums;

  RecordShuffleWriter(
      ShuffleRuntime runtime,
      RowShuffleHandle<K, V, ?> handle,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    super(
        MapOutputWriter.open(
            runtime,
            new MapOutputId(handle.shuffleId(), mapId),
            handle.dependency().partitioner().numPartitions(),
            SortShuffleSizes.ofApplication(handle.rowFields().isPresent())),
        runtime.stats().usage().of(handle.shuffleId()),
        mapId,
        context,
        metrics);
    this.handle = handle;
    this.checksums = new RowChecksums(handle.dependency());
  }

  /** Writes all records to {@code output}. */
  protected abstract long writeRecords(Iterator<Product2<K, V>> records, MapOutputWriter output)
      throws IOException;

  @Override
  protected final SortShuffleSizes sizes() {
    return output.sizes();
  }

  @Override
  public final void write(Iterator<Product2<K, V>> records) throws IOException {
    metrics.incRecordsWritten(writeRecords(records, output));
  }

  /** Returns a partition that the partitioner returned, if there is such a partition. */
  static int require(int partition, int partitions, Partitioner partitioner) {
    if (partition < 0 || partition >= partitions) {
      throw new IllegalArgumentException(
          "the partitioner %s returned partition %d, but there are %d partitions: getPartition must return 0 to %d"
              .formatted(partitioner.getClass().getName(), partition, partitions, partitions - 1));
    }
    return partition;
  }

  final ShuffleDependency<K, V, ?> dependency() {
    return handle.dependency();
  }

  final RowChecksums checksums() {
    return checksums;
  }

  @Override
  protected final long rowChecksum() {
    return checksums.value();
  }
}
