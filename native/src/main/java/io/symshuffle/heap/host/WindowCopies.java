// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import java.lang.foreign.MemorySegment;

/**
 * Copies to and from windows through their files, so that their pages are not mapped in this
 * process; see {@link HostHeap#copies}. What one process writes, others read, whichever way both
 * take. Thread-safe.
 */
public interface WindowCopies {
  /**
   * Copies a range of a PE's window.
   *
   * @param pe number of the PE, 0 or more; may be this PE
   * @param offset first byte in its window
   * @param to native memory, as long as the range
   * @throws io.symshuffle.heap.HeapException when the PE has no heap file, the file is shorter, or
   *     reading fails
   */
  void read(int pe, long offset, MemorySegment to);

  /**
   * Copies to this PE's window.
   *
   * @param offset first byte; the range has been reserved
   * @param from native memory
   * @throws io.symshuffle.heap.HeapException when writing fails
   */
  void write(long offset, MemorySegment from);
}
