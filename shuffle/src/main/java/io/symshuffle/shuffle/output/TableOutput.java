// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.ControlDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A map output of packed tables that this process can look into.
 *
 * <p>Thread-safe; valid while a lease on the shuffle is held.
 *
 * @param pe its owner
 * @param index its index
 * @param window the owner's window of the host heap
 * @param file the file with its tables of the DISK tier; only there if it has some
 */
public record TableOutput(int pe, TableIndex index, MemorySegment window, Path file) {
  /** Checks for nulls. */
  public TableOutput {
    requireNonNull(index, "index is null");
    requireNonNull(window, "window is null");
    requireNonNull(file, "file is null");
  }

  /**
   * The data of a table of the HOST tier.
   *
   * @throws CorruptIndexException if the index points outside the owner's arena
   */
  public MemorySegment hostData(TableEntry table) {
    if (table.place() < ControlDescriptor.BYTES
        || table.place() > window.byteSize() - table.bytes()) {
      throw new CorruptIndexException(
          index.id(),
          "table of %d bytes at %d of a window of %d bytes"
              .formatted(table.bytes(), table.place(), window.byteSize()));
    }
    return window.asSlice(table.place(), table.bytes());
  }
}
