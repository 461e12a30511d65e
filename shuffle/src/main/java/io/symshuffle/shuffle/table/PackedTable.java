// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.MemorySegment;

/**
 * The rows of one input batch for one partition, packed by the columnar engine into one stretch of
 * GPU memory. It keeps that memory until it is closed; the engine has finished writing it.
 *
 * @param rows number of rows, 1 or more
 * @param data its bytes; none for a table without columns
 * @param metadata what the engine needs to find the columns again, a copy in host memory; empty for
 *     a table without columns
 * @param hold gives the memory back to the engine
 */
public record PackedTable(long rows, DeviceRange data, MemorySegment metadata, Runnable hold)
    implements AutoCloseable {
  /** Checks for nulls. */
  public PackedTable {
    requireNonNull(data, "data is null");
    requireNonNull(metadata, "metadata is null");
    requireNonNull(hold, "hold is null");
  }

  /** Gives the memory back to the engine; to be called once, after the last copy is done. */
  @Override
  public void close() {
    hold.run();
  }
}
