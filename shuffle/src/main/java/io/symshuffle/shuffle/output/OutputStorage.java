// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where one PE keeps the data of its map outputs: its window of the host heap, its window of the
 * device heap, and files in its disk folder. Thread-safe.
 */
public interface OutputStorage {
  /**
   * Allocates memory of the host heap.
   *
   * @return the slab, or empty if the heap is full
   */
  Optional<Slab> allocateHost(long bytes);

  /**
   * Allocates memory of the device heap.
   *
   * @return the slab, or empty if that heap is full or there is none
   */
  Optional<Slab> allocateDevice(long bytes);

  /** The own window of the host heap. */
  MemorySegment window();

  /**
   * Copies a run into the host heap.
   *
   * @param run the run; its checksums are known
   * @param to its slab's memory, as large as the run
   * @throws IOException if that is not possible
   */
  void write(MemorySegment run, MemorySegment to) throws IOException;

  /** The file of a map output; it need not exist. */
  Path file(MapOutputId id);

  /**
   * Appends to the file of a map output.
   *
   * @return where the bytes start in the file
   * @throws IOException if the disk does not take them
   */
  long append(DiskFile file, MemorySegment bytes) throws IOException;

  /** Frees memory and deletes the file of a map output that nobody reads. */
  void free(OwnedOutput output);
}
