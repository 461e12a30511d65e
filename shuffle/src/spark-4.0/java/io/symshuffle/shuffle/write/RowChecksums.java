// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static java.util.Objects.requireNonNull;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;

/** Spark 4.0 has no checksums of rows. */
final class RowChecksums {
  RowChecksums(ShuffleDependency<?, ?, ?> dependency) {
    requireNonNull(dependency, "dependency is null");
  }

  /** Returns false. */
  boolean isEnabled() {
    return false;
  }

  /** Does nothing. */
  void update(int partition, Object key, Object value) {}

  /** Returns 0: no checksum. */
  long value() {
    return 0;
  }

  /**
   * Describes a map output to Spark.
   *
   * @param partitionBytes bytes of each partition
   * @param rowChecksum ignored
   */
  static MapStatus status(
      BlockManagerId location, long[] partitionBytes, long mapId, long rowChecksum) {
    return MapStatus.apply(location, partitionBytes, mapId);
  }
}
