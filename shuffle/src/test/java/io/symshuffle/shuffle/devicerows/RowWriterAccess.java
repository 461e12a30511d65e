// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.StagingPool;
import io.symshuffle.shuffle.write.RecordOutput;
import java.io.IOException;
import java.util.Optional;
import org.apache.spark.unsafe.Platform;

/** Writes records to the device heap in tests. */
final class RowWriterAccess {
  private final RecordOutput output;

  private RowWriterAccess(RecordOutput output) {
    this.output = output;
  }

  /** Opens a writer, if the GPU can be used. */
  static Optional<RowWriterAccess> open(
      DeviceRows rows,
      RowOutputBuilder sink,
      int partitions,
      boolean checksum,
      ShuffleStats stats) {
    return DeviceOutputWriter.open(
            rows, sink, new StagingPool(64 << 10), partitions, checksum, stats)
        .map(RowWriterAccess::new);
  }

  /** Adds a record. */
  void append(int partition, byte[] record) throws IOException {
    output.append(partition, record, Platform.BYTE_ARRAY_OFFSET, record.length);
  }

  /** Publishes; returns the bytes of each partition. */
  long[] commit() throws IOException {
    output.commit();
    return output.partitionBytes();
  }

  /** Frees everything. */
  void abort() {
    output.abort();
  }
}
