// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

/**
 * Iterates over the blocks of a reduce task. Each block is checked before the cursor moves to it.
 * Not thread-safe.
 *
 * <p>The records of a block are contiguous, see {@link
 * io.symshuffle.shuffle.layout.RecordDescriptor}. A block's memory stays valid until the caller has
 * read a record of a later block; the last block's memory stays valid until the task ends.
 */
public abstract class BlockCursor {
  /** A Java array that holds the block, or null for native memory. */
  protected Object object;

  /** Unsafe offset in the array, or native address, of the first record. */
  protected long position;

  /** End of the last record. */
  protected long limit;

  /** The partition of all records of the block. */
  protected int partition;

  protected BlockCursor() {}

  /** Moves to the next block; false if there is none. */
  public abstract boolean advance();

  /**
   * Ends the task with a fetch failure for the current block.
   *
   * @return never returns; declared so that callers can write {@code throw}
   */
  public abstract RuntimeException corrupt(String found);

  /** Returns the Unsafe offset in the array, or native address, of the first record. */
  public final long position() {
    return position;
  }

  /** Returns the end of the last record. */
  public final long limit() {
    return limit;
  }

  /** Moves to the current block of another cursor. */
  protected final void moveTo(BlockCursor other) {
    object = other.object;
    position = other.position;
    limit = other.limit;
    partition = other.partition;
  }
}
