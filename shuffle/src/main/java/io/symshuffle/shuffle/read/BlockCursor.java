// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

/**
 * Walks over the blocks of a reduce task, each checked before it is shown. Not thread-safe.
 *
 * <p>A block's records stand one behind the other, see {@link
 * io.symshuffle.shuffle.layout.RecordDescriptor}. Its memory stays valid until a record of a later
 * block has been taken, that of the last block until the task ends.
 */
abstract class BlockCursor {
  /** A Java array that holds the block, or null for native memory. */
  protected Object object;

  /** Unsafe offset in the array, or native address, of the first record. */
  protected long position;

  /** Behind the last record. */
  protected long limit;

  /** The partition of all records of the block. */
  protected int partition;

  /**
   * Goes to the next block.
   *
   * @return false if there is none
   */
  abstract boolean advance();

  /** Ends the task with a fetch failure for the block in hand. */
  abstract RuntimeException corrupt(String found);
}
