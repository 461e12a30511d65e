// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * How a PE's arena of symmetric device memory is laid out; the same on every PE.
 *
 * <pre>
 *   0                    64 KiB                      64 KiB + 1 MiB
 *  +--------------------+---------------------------+--------------------------+
 *  | barrier counters   | staging for peers out of  | the window               |
 *  | (u64[1024])        | reach of loads and stores |                          |
 *  +--------------------+---------------------------+--------------------------+
 * </pre>
 *
 * Counter n, at byte 8n, says how many barriers of n PEs this PE has come to; only its owner writes
 * it.
 */
final class DeviceArenaDescriptor {
  static final long COUNTERS_OFFSET = 0;
  static final long COUNTERS_BYTES = 64L << 10;

  /** Barriers of up to this many PEs. */
  static final int BARRIER_PES = 1023;

  static final long STAGING_OFFSET = COUNTERS_OFFSET + COUNTERS_BYTES;
  static final long STAGING_BYTES = 1L << 20;

  static final long WINDOW_OFFSET = STAGING_OFFSET + STAGING_BYTES;

  /** Window lengths are rounded up to this; kernels may read whole granules at its end. */
  static final long GRANULE = 64L << 10;

  private DeviceArenaDescriptor() {}

  static long counterOffset(int peCount) {
    return COUNTERS_OFFSET + (long) Long.BYTES * peCount;
  }

  static long arenaBytes(long windowBytes) {
    return WINDOW_OFFSET + windowBytes;
  }

  static long windowBytes(long wanted) {
    return (wanted + GRANULE - 1) / GRANULE * GRANULE;
  }
}
