// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import java.io.IOException;
import java.util.stream.LongStream;

/**
 * A map output that a task writes record by record. Life cycle: {@code append}..., then {@link
 * #commit} or {@link #abort}. Used by one task thread.
 */
public interface RecordOutput extends TaskOutput {
  /**
   * Appends a record; see {@link RunBuilder#append} for the arguments.
   *
   * @throws IllegalStateException after commit or abort, when other tasks may use the buffers
   * @throws IOException if all tiers are full, or a GPU failed
   */
  void append(int partition, Object object, long offset, int length) throws IOException;

  /** {@inheritDoc} Includes record headers. */
  @Override
  default long dataBytes() {
    return LongStream.of(partitionBytes()).sum();
  }
}
