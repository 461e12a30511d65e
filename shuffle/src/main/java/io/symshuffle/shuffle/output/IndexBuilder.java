// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import java.lang.foreign.MemorySegment;

/** Lays out the index of one map output. */
interface IndexBuilder {
  /** Whether there is nothing to list. */
  boolean isEmpty();

  /** Size of the index in bytes. */
  long bytes();

  /**
   * Writes the index.
   *
   * @param to {@link #bytes()} bytes, 8-byte aligned
   */
  void writeTo(MemorySegment to);
}
