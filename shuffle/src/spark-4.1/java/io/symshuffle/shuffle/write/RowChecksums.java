// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.storage.BlockManagerId;

/**
 * The checksums over the records of each partition that Spark compares between attempts of a stage.
 * This variant is for Spark 4.1 and later.
 */
final class RowChecksums {
  private final RowBasedChecksum[] partitions;

  RowChecksums(ShuffleDependency<?, ?, ?> dependency) {
    partitions = dependency.rowBasedChecksums();
  }

  /** Whether Spark wants checksums of this shuffle. */
  boolean isEnabled() {
    return partitions.length > 0;
  }

  /** Adds a record; only called if checksums are enabled. */
  void update(int partition, Object key, Object value) {
    partitions[partition].update(key, value);
  }

  /** Returns the checksum of the map output; 0 if checksums are disabled. */
  long value() {
    return RowBasedChecksum.getAggregatedChecksumValue(partitions);
  }

  /**
   * Describes a map output to Spark.
   *
   * @param partitionBytes bytes of each partition
   * @param rowChecksum see {@link #value}
   */
  static MapStatus status(
      BlockManagerId location, long[] partitionBytes, long mapId, long rowChecksum) {
    return MapStatus.apply(location, partitionBytes, mapId, rowChecksum);
  }
}
