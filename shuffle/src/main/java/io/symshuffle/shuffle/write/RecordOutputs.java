// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.directory.MapOutputId;

/** Where the records of map tasks go. Thread-safe. */
@FunctionalInterface
public interface RecordOutputs {
  /**
   * Starts a map output of records.
   *
   * @param partitions of the shuffle
   */
  RecordOutput open(ShuffleRuntime runtime, MapOutputId id, int partitions);
}
