// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;

/**
 * Where the index of a map output is, and what it lists.
 *
 * @param kind what the map output consists of
 * @param tier HOST: in the owner's window; DISK: in the map output's file
 * @param offset from the start of the window or of the file, in bytes
 * @param bytes size of the index
 */
public record IndexPlace(OutputKind kind, Tier tier, long offset, long bytes) {
  public IndexPlace {
    if (tier == Tier.DEVICE) {
      throw new IllegalArgumentException(
          "an index is in the HOST or DISK tier, not in the DEVICE tier");
    }
    if (offset < 0 || bytes <= 0 || offset + bytes < 0) {
      throw new IllegalArgumentException(
          "an index cannot have %d bytes at offset %d".formatted(bytes, offset));
    }
  }
}
