// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.DeviceRange;

/**
 * One piece to copy.
 *
 * @param source memory to read; any alignment
 * @param destination memory to write, of the same length; any alignment
 * @param pe the other PE, which owns the remote memory; for messages
 */
public record Piece(DeviceRange source, DeviceRange destination, int pe) {

  /** Longest piece, in bytes: 16 GiB. */
  public static final long MAX_BYTES = 1L << 34;

  public Piece {
    if (source.bytes() != destination.bytes()) {
      throw new IllegalArgumentException("cannot copy %s to %s".formatted(source, destination));
    }
    if (source.bytes() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a piece of %d bytes is longer than %d: split it".formatted(source.bytes(), MAX_BYTES));
    }
  }

  /** Returns bytes to copy. */
  public long bytes() {
    return source.bytes();
  }
}
