// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle;

import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDriverComponents;

/**
 * Tells Spark's scheduler not to forget an executor's map outputs when the executor is lost: a heap
 * outlives its process, and the other executors of the host go on reading it. What the survivors
 * cannot read the plugin takes out of Spark's table itself, see {@link TrackedOutputs}.
 *
 * <p>Everything else is as Spark has it: map outputs of the sort shuffle go to local disks.
 */
public final class SymShuffleDataIO extends LocalDiskShuffleDataIO {
  /** Called by Spark. */
  public SymShuffleDataIO(SparkConf conf) {
    super(conf);
  }

  @Override
  public ShuffleDriverComponents driver() {
    return new Components();
  }

  private static final class Components extends LocalDiskShuffleDriverComponents {
    @Override
    public boolean supportsReliableStorage() {
      return true;
    }
  }
}
