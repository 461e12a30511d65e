// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.task.RowShuffleHandle;
import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import scala.Product2;
import scala.collection.Iterator;

/**
 * Writes Spark SQL rows: copies their bytes unchanged to the staging buffer, from there to the run.
 */
public final class RowShuffleWriter<K, V> extends RecordShuffleWriter<K, V> {

  public RowShuffleWriter(
      ShuffleRuntime runtime,
      RowShuffleHandle<K, V, ?> handle,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    super(runtime, handle, mapId, context, metrics);
  }

  @Override
  protected long writeRecords(Iterator<Product2<K, V>> records, MapOutputWriter output)
      throws IOException {
    Partitioner partitioner = dependency().partitioner();
    int partitions = partitioner.numPartitions();
    RowChecksums checksums = checksums();
    boolean checksummed = checksums.isEnabled();
    long count = 0;
    long rowBytes = 0;
    while (records.hasNext()) {
      Product2<K, V> record = records.next();
      int partition = require((Integer) record._1(), partitions, partitioner);
      UnsafeRow row = (UnsafeRow) record._2();
      if (checksummed) {
        checksums.update(partition, record._1(), row);
      }
      int bytes = row.getSizeInBytes();
      output.append(partition, row.getBaseObject(), row.getBaseOffset(), bytes);
      rowBytes += bytes;
      count++;
    }
    // Spark's serializer, which is bypassed here, updates this metric for adaptive execution.
    RowSerializerFields.addDataSize(dependency().serializer(), rowBytes);
    return count;
  }
}
