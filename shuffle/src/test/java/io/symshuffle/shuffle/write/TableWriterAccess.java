// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.output.TableOutputBuilder;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.TableCopies;
import io.symshuffle.shuffle.table.TableEngine;
import java.io.IOException;
import java.util.Optional;

/** Gives tests of other packages access to {@link TableWriter}. */
public final class TableWriterAccess {
  private final TableWriter writer;

  /** Starts a map output. */
  public TableWriterAccess(
      TableOutputBuilder sink,
      TableEngine engine,
      Optional<DeviceTier> device,
      int partitions,
      boolean checksum,
      ShuffleStats stats) {
    this.writer =
        new TableWriter(
            sink,
            new TableCopies(engine, device.map(DeviceTier::kernels)),
            device,
            partitions,
            checksum,
            stats);
  }

  /** Adds a table. */
  public void add(int partition, PackedTable table) throws IOException {
    writer.add(partition, table);
  }

  /** Publishes; returns the bytes of each partition. */
  public long[] commit() throws IOException {
    writer.commit();
    return writer.partitionBytes();
  }

  /** Frees everything. */
  public void abort() {
    writer.abort();
  }
}
