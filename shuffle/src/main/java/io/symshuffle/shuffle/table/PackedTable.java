// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.MemorySegment;

/**
 * The rows of one input batch for one partition, packed by the columnar engine into one contiguous
 * range of GPU memory. The memory stays allocated until the table is closed.
 *
 * @param rows number of rows, at least 1
 * @param data the packed bytes; empty for a table without columns
 * @param metadata the engine's description of the columns, a copy in host memory; empty for a table
 *     without columns
 * @param release returns the memory to the engine
 */
public record PackedTable(long rows, DeviceRange data, MemorySegment metadata, Runnable release)
    implements AutoCloseable {
  /** Returns the memory to the engine; must be called once, after the last copy is done. */
  @Override
  public void close() {
    release.run();
  }
}
