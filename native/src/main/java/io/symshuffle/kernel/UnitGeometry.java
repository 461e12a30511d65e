// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

/**
 * Computes the number of units of work of a piece, like CopyShape::units in geometry.h. A unit is
 * 128 granules of 16 bytes of the destination, aligned to 128-byte lines of the source.
 */
final class UnitGeometry {
  private static final long GRANULE = 16;
  private static final long LINE_GRANULES = 8;
  private static final long UNIT_GRANULES = KernelLayout.UNIT_BYTES / GRANULE;

  private UnitGeometry() {}

  /** Returns the units of a piece. */
  static long units(long source, long destination, long bytes) {
    if (bytes == 0) {
      return 0;
    }
    long head = destination & (GRANULE - 1);
    long lead = (source - head) / GRANULE & (LINE_GRANULES - 1);
    long granules = (head + bytes + GRANULE - 1) / GRANULE;
    return (lead + granules + UNIT_GRANULES - 1) / UNIT_GRANULES;
  }
}
