// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * Reserves and releases the memory behind a window, piece by piece. Called by {@link SlabAllocator}
 * without its lock held, from several threads at once; offsets count in the window.
 */
public interface SlabBacking {

  /**
   * Reserves memory for a range, so that accesses cannot fail for lack of space. Ranges that have
   * memory already keep it and its content.
   *
   * @param offset first byte
   * @param bytes length, more than 0
   * @return false when there is no space; part of the range may then be backed, and {@link
   *     #release} releases it
   */
  boolean reserve(long offset, long bytes);

  /**
   * Releases the memory behind a range; the range reads as zeros afterwards.
   *
   * @param offset first byte
   * @param bytes length, more than 0
   */
  void release(long offset, long bytes);

  /** {@return a backing for memory that is always reserved} */
  static SlabBacking none() {
    return NoBacking.INSTANCE;
  }
}
