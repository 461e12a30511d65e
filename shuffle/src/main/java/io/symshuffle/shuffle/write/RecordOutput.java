// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import java.io.IOException;
import java.util.stream.LongStream;

/**
 * One map output while its task writes it, record by record. Life cycle: {@code append}..., then
 * {@link #commit} or {@link #abort}. Used by one task thread.
 */
public interface RecordOutput extends TaskOutput {
  /**
   * Adds a record; see {@link RunBuilder#append} for the arguments.
   *
   * @throws IllegalStateException after commit or abort, when the buffers may be another task's
   * @throws IOException if all tiers are full, or a GPU failed
   */
  void append(int partition, Object object, long offset, int length) throws IOException;

  /** Record headers included. */
  @Override
  default long dataBytes() {
    return LongStream.of(partitionBytes()).sum();
  }
}
