// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.runtime.ShuffleUsage;
import io.symshuffle.shuffle.task.TaskEnd;
import java.io.IOException;
import java.util.stream.LongStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import scala.Option;

/**
 * Base class of the writers: publishes one map output if the task succeeds, and frees it otherwise.
 */
public abstract class MapTaskWriter<K, V, O extends TaskOutput> extends ShuffleWriter<K, V> {
  /** The map output, committed or aborted by this writer. */
  protected final O output;

  /** Where the task's metrics go. */
  protected final ShuffleWriteMetricsReporter metrics;

  private final ShuffleUsage.OfShuffle usage;
  private final long mapId;
  private boolean stopped;

  /**
   * @param output the map output; committed or aborted by this writer
   */
  protected MapTaskWriter(
      O output,
      ShuffleUsage.OfShuffle usage,
      long mapId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    this.output = output;
    this.usage = usage;
    this.mapId = mapId;
    this.metrics = metrics;
    // Spark does not call stop in all cases in which a task ends.
    TaskEnd.listen(context, output::abort);
  }

  /** Has a sample of the records that were written. */
  protected abstract SortShuffleSizes sizes();

  /** The checksum that Spark compares between attempts of a stage; 0 if there is none. */
  protected abstract long rowChecksum();

  /** Called once, after a map output with {@code bytes} bytes of data was published. */
  protected void published(long bytes) {}

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
    long[] reported;
    try {
      output.commit();
      reported = sizes().estimate(output.partitionBytes());
    } catch (IOException e) {
      output.abort();
      throw MapTaskWriter.<RuntimeException>unchecked(e);
    }
    long bytes = output.dataBytes();
    metrics.incBytesWritten(bytes);
    metrics.incWriteTime(output.nanos());
    published(bytes);
    usage.reported(LongStream.of(output.partitionBytes()).sum(), LongStream.of(reported).sum());
    ExactSizes.limit(reported);
    return Option.apply(
        RowChecksums.status(
            SparkEnv.get().blockManager().shuffleServerId(), reported, mapId, rowChecksum()));
  }

  @Override
  public final long[] getPartitionLengths() {
    return output.partitionBytes();
  }

  /**
   * Throws a checked exception unchecked: {@code stop} declares none, but Spark's own writers throw
   * I/O errors from it.
   */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> E unchecked(Exception e) throws E {
    throw (E) e;
  }
}
