// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.output.TableOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.write.SortShuffleSizes;
import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Gives tests of other packages access to {@link TableWriter}. */
public final class TableWriterAccess {
  private final TableWriter writer;

  /** Starts a map output. */
  public TableWriterAccess(
      TableOutputBuilder sink,
      TableEngine engine,
      Optional<DeviceTier> device,
      PinnedPool pool,
      int partitions,
      boolean checksum,
      ShuffleStats stats) {
    this(
        sink,
        new TableCopies(engine, device.map(DeviceTier::kernels), Optional.of(pool)),
        device,
        partitions,
        checksum,
        stats);
  }

  /** Starts a map output with given copies. */
  public TableWriterAccess(
      TableOutputBuilder sink,
      TableCopies copies,
      Optional<DeviceTier> device,
      int partitions,
      boolean checksum,
      ShuffleStats stats) {
    writer =
        new TableWriter(
            sink,
            copies,
            device,
            partitions,
            true,
            checksum,
            new SortShuffleSizes(UnaryOperator.identity(), false),
            stats);
  }

  /** Adds a batch. */
  public void add(SplitBatch batch) throws IOException {
    writer.add(batch);
  }

  /** Publishes; returns the bytes of each partition. */
  public long[] commit() throws IOException {
    writer.commit();
    return writer.partitionBytes();
  }

  /** Returns the row checksum. */
  public long rowChecksum() {
    return writer.rowChecksum();
  }

  /** Frees everything. */
  public void abort() {
    writer.abort();
  }
}
