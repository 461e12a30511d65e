// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.shuffle.directory.MapOutputId;

/**
 * One event of one executor.
 *
 * @param time of {@link System#nanoTime}, which all processes of a Linux host share
 * @param pe the PE whose memory or map output it is; {@link #ANY_PE} if it may be any
 * @param offset first byte in the PE's window
 * @param bytes length, 0 or more
 */
record Event(
    EventKind kind, long time, int pe, int shuffleId, long mapId, long offset, long bytes) {
  /** The PE of an erase that concerns the map output of every PE. */
  static final int ANY_PE = -1;

  MapOutputId output() {
    return new MapOutputId(shuffleId, mapId);
  }
}
