// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * Where the memory behind a window comes from, piece by piece. Called by {@link SlabAllocator}
 * without its lock held, from several threads at once; offsets count in the window.
 */
public interface SlabBacking {

  /**
   * Puts memory behind a range, so that touching it can no longer fail for lack of space. Where
   * there is memory already nothing happens and its content stays.
   *
   * @param offset first byte
   * @param bytes length, more than 0
   * @return false when there is no space; part of the range may then be backed, and {@link
   *     #release} gives that back
   */
  boolean reserve(long offset, long bytes);

  /**
   * Gives the memory behind a range back to the system; the range reads as zeros afterwards.
   *
   * @param offset first byte
   * @param bytes length, more than 0
   */
  void release(long offset, long bytes);

  /** {@return a backing for memory that is always there: reserves everything, releases nothing} */
  static SlabBacking none() {
    return NoBacking.INSTANCE;
  }
}
