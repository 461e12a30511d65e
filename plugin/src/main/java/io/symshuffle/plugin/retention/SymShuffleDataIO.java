// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.retention;

import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDriverComponents;

/**
 * Makes Spark's scheduler keep the map outputs of lost executors: a heap outlives its process, and
 * the other executors of the host continue to read it. The plugin itself unregisters the map
 * outputs that no executor can read, see {@link TrackedOutputs}.
 *
 * <p>Everything else is Spark's default: map outputs of the sort shuffle are on local disks.
 */
public final class SymShuffleDataIO extends LocalDiskShuffleDataIO {
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
