// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.core.StagingPool;
import io.symshuffle.shuffle.device.DeviceRows;
import io.symshuffle.shuffle.output.MapOutputSink;
import java.io.IOException;
import java.util.Optional;
import org.apache.spark.unsafe.Platform;

/** A writer of records into the device heap, for tests of other packages. */
public final class RowWriterAccess {
  private final RecordOutput output;

  private RowWriterAccess(RecordOutput output) {
    this.output = output;
  }

  /** A writer, if the GPU can take part. */
  public static Optional<RowWriterAccess> open(
      DeviceRows rows, MapOutputSink sink, int partitions, boolean checksum, ShuffleStats stats) {
    return DeviceOutputWriter.open(
            rows, sink, new StagingPool(64 << 10), partitions, checksum, stats)
        .map(RowWriterAccess::new);
  }

  /** Adds a record. */
  public void append(int partition, byte[] record) throws IOException {
    output.append(partition, record, Platform.BYTE_ARRAY_OFFSET, record.length);
  }

  /** Publishes; returns the bytes of each partition. */
  public long[] commit() throws IOException {
    output.commit();
    return output.partitionBytes();
  }

  /** Gives all back. */
  public void abort() {
    output.abort();
  }
}
