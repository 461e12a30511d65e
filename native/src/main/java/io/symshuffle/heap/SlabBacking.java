// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * Reserves and releases the memory of a window. {@link SlabAllocator} calls it from several threads
 * concurrently, without holding its lock. Offsets are relative to the window.
 */
public interface SlabBacking {

  /**
   * Reserves memory for a range, so that accesses cannot fail for lack of space. Memory that is
   * already reserved keeps its content.
   *
   * @param offset first byte
   * @param bytes length, more than 0
   * @return false when there is no space; part of the range may then be backed, and {@link
   *     #release} releases it
   */
  boolean reserve(long offset, long bytes);

  /**
   * Releases the memory of a range; the range then reads as zeros.
   *
   * @param offset first byte
   * @param bytes length, more than 0
   */
  void release(long offset, long bytes);

  /** Returns a backing for memory that is always reserved. */
  static SlabBacking none() {
    return new SlabBacking() {
      @Override
      public boolean reserve(long offset, long bytes) {
        return true;
      }

      @Override
      public void release(long offset, long bytes) {}
    };
  }
}
