// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;

/** Creates the outputs for the records of map tasks. Thread-safe. */
@FunctionalInterface
public interface RecordOutputFactory {
  /**
   * Starts a map output of records.
   *
   * @param partitions number of partitions of the shuffle
   */
  RecordOutput open(ShuffleRuntime runtime, MapOutputId id, int partitions);
}
