// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import java.io.IOException;

/** One map output while its task makes it. It ends with {@link #commit} or {@link #abort}. */
public interface TaskOutput {
  /**
   * Makes the map output visible.
   *
   * @throws IOException if all tiers are full, or a GPU failed
   */
  void commit() throws IOException;

  /** Gives everything back; does nothing after {@link #commit} or a second time. */
  void abort();

  /** Bytes of each partition as Spark is told: long[partitions], complete after commit. */
  long[] partitionBytes();

  /** Bytes of all data, complete after commit. */
  long dataBytes();

  /** Time spent on making, placing and publishing, in nanoseconds. */
  long nanos();
}
