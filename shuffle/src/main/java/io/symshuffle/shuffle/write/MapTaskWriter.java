// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.ShuffleRuntime;
import io.symshuffle.shuffle.SymShuffleHandle;
import io.symshuffle.shuffle.TaskEnd;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.output.MapOutputSink;
import java.io.IOException;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;

/**
 * What all map tasks have in common: one map output that becomes visible when the task succeeds and
 * leaves nothing behind when it does not.
 */
abstract class MapTaskWriter<K, V> extends ShuffleWriter<K, V> {
  private final SymShuffleHandle<K, V, ?> handle;
  private final long mapId;
  private final ShuffleWriteMetricsReporter metrics;
  private final RecordOutput output;
  private boolean stopped;

  MapTaskWriter(
      ShuffleRuntime runtime,
      SymShuffleHandle<K, V, ?> handle,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    this.handle = requireNonNull(handle, "handle is null");
    this.mapId = mapId;
    this.metrics = requireNonNull(metrics, "metrics is null");
    int partitions = handle.dependency().partitioner().numPartitions();
    this.output = output(runtime, new MapOutputId(handle.shuffleId(), mapId), partitions);
    // Spark does not call stop for every way in which a task can end.
    TaskEnd.of(context, output::abort);
  }

  private static RecordOutput output(ShuffleRuntime runtime, MapOutputId id, int partitions) {
    MapOutputSink sink = runtime.store().create(id, partitions);
    boolean checksum = runtime.config().checksum();
    return runtime
        .deviceRows()
        .flatMap(
            rows ->
                DeviceOutputWriter.open(
                    rows, sink, runtime.staging(), partitions, checksum, runtime.stats()))
        .orElseGet(
            () ->
                new MapOutputWriter(
                    sink, runtime.staging(), partitions, checksum, runtime.stats()));
  }

  /**
   * Hands all records to {@code output}.
   *
   * @return how many there were
   */
  protected abstract long writeRecords(Iterator<Product2<K, V>> records, RecordOutput output)
      throws IOException;

  @Override
  public final void write(Iterator<Product2<K, V>> records) throws IOException {
    metrics.incRecordsWritten(writeRecords(records, output));
  }

  @Override
  public final Option<MapStatus> stop(boolean success) {
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
      throw MapTaskWriter.<RuntimeException>unchecked(e);
    }
    long bytes = 0;
    for (long partitionBytes : output.partitionBytes()) {
      bytes += partitionBytes;
    }
    metrics.incBytesWritten(bytes);
    metrics.incWriteTime(output.nanos());
    RowBasedChecksum[] checksums = handle.dependency().rowBasedChecksums();
    return Option.apply(
        MapStatus.apply(
            SparkEnv.get().blockManager().shuffleServerId(),
            output.partitionBytes(),
            mapId,
            RowBasedChecksum.getAggregatedChecksumValue(checksums)));
  }

  @Override
  public final long[] getPartitionLengths() {
    return output.partitionBytes();
  }

  /** Scala's {@code stop} declares nothing, but Spark's own writers throw I/O errors from it. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> E unchecked(Exception e) throws E {
    throw (E) e;
  }
}
