// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.Slab;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Stores the data of one PE's map outputs: in its windows of the host heap and the device heap, and
 * in files in its disk folders. Thread-safe.
 */
public interface OutputStorage {
  /** Allocates memory of the host heap; empty if it is full. */
  Optional<Slab> allocateHost(long bytes);

  /** Allocates memory of the device heap; empty if it is full or there is none. */
  Optional<Slab> allocateDevice(long bytes);

  /** This PE's window of the host heap. */
  MemorySegment window();

  /**
   * Copies a run into the host heap.
   *
   * @param run the run; its checksums are already computed
   * @param to memory of its slab, as large as the run
   * @throws IOException if it cannot be copied
   */
  void write(MemorySegment run, MemorySegment to) throws IOException;

  /** The folders for the files of map outputs. */
  DiskFolders disk();

  /**
   * Appends to the file of a map output.
   *
   * @return the offset of the bytes in the file
   * @throws IOException if they cannot be written
   */
  long append(DiskFile file, MemorySegment bytes) throws IOException;

  /** Frees the memory and deletes the file of a map output without readers. */
  void free(OwnedOutput output);
}
