// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.Tier;

/**
 * Where the index of a map output lies.
 *
 * @param tier HOST: in the owner's window; DISK: in the map output's file
 * @param offset from the start of the window or of the file, in bytes
 * @param bytes size of the index
 */
public record IndexPlace(Tier tier, long offset, long bytes) {
  /** Checks that the numbers can be a place. */
  public IndexPlace {
    requireNonNull(tier, "tier is null");
    if (tier == Tier.DEVICE) {
      throw new IllegalArgumentException("an index lies in the HOST or the DISK tier, not DEVICE");
    }
    if (offset < 0 || bytes <= 0 || offset + bytes < 0) {
      throw new IllegalArgumentException(
          "index of %d bytes at offset %d is no place".formatted(bytes, offset));
    }
  }
}
