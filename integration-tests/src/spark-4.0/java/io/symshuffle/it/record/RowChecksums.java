// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.record;

import org.apache.spark.scheduler.MapStatus;

/** Spark 4.0 has no checksums of rows. */
public final class RowChecksums {
  /** Whether this Spark version has checksums of rows. */
  public static final boolean SUPPORTED = false;

  private RowChecksums() {}

  /**
   * Returns 0.
   *
   * @param status ignored
   */
  public static long of(MapStatus status) {
    return 0;
  }
}
