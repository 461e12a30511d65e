// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.record;

import org.apache.spark.scheduler.MapStatus;

/** Spark's checksums of rows. This variant is for Spark 4.1 and later. */
public final class RowChecksums {
  /** Whether this Spark version has checksums of rows. */
  public static final boolean SUPPORTED = true;

  private RowChecksums() {}

  /**
   * Returns the checksum of a map output.
   *
   * @param status the map output
   */
  public static long of(MapStatus status) {
    return status.checksumValue();
  }
}
