// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import java.io.IOException;

/** A map output that a task writes. It ends with {@link #commit} or {@link #abort}. */
public interface TaskOutput {
  /**
   * Publishes the map output.
   *
   * @throws IOException if all tiers are full, or a GPU failed
   */
  void commit() throws IOException;

  /** Frees everything; does nothing after {@link #commit} or a previous call. */
  void abort();

  /** Size of each partition: long[partitions], complete after commit. */
  long[] partitionBytes();

  /** Size of all data, complete after commit. */
  long dataBytes();

  /** Time spent building, storing and publishing, in nanoseconds. */
  long nanos();
}
