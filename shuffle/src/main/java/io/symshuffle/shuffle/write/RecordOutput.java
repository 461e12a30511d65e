// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import java.io.IOException;

/**
 * One map output while its task writes it, record by record. Life cycle: {@code append}..., then
 * {@link #commit} or {@link #abort}. Used by one task thread.
 */
interface RecordOutput {
  /**
   * Adds a record; see {@link RunBuilder#append} for the arguments.
   *
   * @throws IllegalStateException after commit or abort, when the buffers may be another task's
   * @throws IOException if all tiers are full, or a GPU failed
   */
  void append(int partition, Object object, long offset, int length) throws IOException;

  /**
   * Makes the map output visible.
   *
   * @throws IOException if all tiers are full, or a GPU failed
   */
  void commit() throws IOException;

  /** Gives everything back; does nothing after {@link #commit} or a second time. */
  void abort();

  /** Bytes of each partition, record headers included: long[partitions], complete after commit. */
  long[] partitionBytes();

  /** Time spent on making, placing and publishing runs, in nanoseconds. */
  long nanos();
}
