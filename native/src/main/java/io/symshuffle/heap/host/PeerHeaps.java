// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How a PE reads the heaps of the PEs of its host, and reclaims those of dead ones. Thread-safe.
 */
public interface PeerHeaps {
  /** Returns the number of this PE. */
  int myPe();

  /**
   * Returns the window of a PE.
   *
   * @param pe number of the PE, 0 or more; may be this PE
   * @return the whole window, the same segment on each call, read-only unless it is this PE's;
   *     empty while that PE has no window
   * @throws io.symshuffle.heap.HeapException when the PE's file is not a valid heap file
   */
  Optional<MemorySegment> peer(int pe);

  /**
   * Changes the beginning of a dead PE's window.
   *
   * @param bytes how much of its window to map for writing, a multiple of 64 KiB
   * @param change gets that part of the window, which it must not use after it returns
   * @throws IllegalStateException when that PE is alive
   */
  void changeDead(int pe, long bytes, Consumer<MemorySegment> change);

  /**
   * Releases memory of a dead PE's window. The range then reads as zeros in all processes.
   *
   * @param offset first byte in its window
   * @param bytes length, more than 0
   * @throws IllegalStateException when that PE is alive
   */
  void releaseDead(int pe, long offset, long bytes);

  /**
   * Removes the memory, heap file and disk folders of a dead PE. Processes that still map its
   * window read zeros. Failures are logged.
   *
   * @throws IllegalStateException when that PE is alive
   */
  void unlink(int pe);

  /** Unmaps the window of another PE. Its segments then refuse access. */
  void unmap(int pe);
}
