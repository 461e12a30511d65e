// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.task.RowShuffleHandle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.unsafe.Platform;
import scala.Product2;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Writes records of a serializer that supports relocation of serialized objects: each record is
 * serialized separately and its bytes are staged.
 */
public final class SerializedShuffleWriter<K, V> extends RecordShuffleWriter<K, V> {
  private static final ClassTag<Object> ANY = ClassTag$.MODULE$.Object();
  private static final int FIRST_BUFFER_BYTES = 64 << 10;

  /** Exposes its array, so that records are not copied. */
  private static final class Buffer extends ByteArrayOutputStream {
    Buffer() {
      super(FIRST_BUFFER_BYTES);
    }

    byte[] array() {
      return buf;
    }
  }

  public SerializedShuffleWriter(
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
    Buffer buffer = new Buffer();
    long count = 0;
    try (SerializationStream stream =
        dependency().serializer().newInstance().serializeStream(buffer)) {
      while (records.hasNext()) {
        Product2<K, V> record = records.next();
        int partition = require(partitioner.getPartition(record._1()), partitions, partitioner);
        if (checksums.isEnabled()) {
          checksums.update(partition, record._1(), record._2());
        }
        buffer.reset();
        stream.writeKey(record._1(), ANY);
        stream.writeValue(record._2(), ANY);
        stream.flush();
        output.append(partition, buffer.array(), Platform.BYTE_ARRAY_OFFSET, buffer.size());
        count++;
      }
    }
    return count;
  }
}
