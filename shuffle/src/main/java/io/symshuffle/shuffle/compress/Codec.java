// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import java.util.Optional;

/** How the body of a packet is compressed. */
public enum Codec {
  /** Not compressed. */
  NONE(0),
  /** An LZ4 block. */
  LZ4(1),
  /** A zstd frame. */
  ZSTD(2);

  private final int code;

  Codec(int code) {
    this.code = code;
  }

  /** The number of the codec on the wire. */
  public int code() {
    return code;
  }

  /** Returns the codec with a number, if it exists. */
  static Optional<Codec> ofCode(int code) {
    return switch (code) {
      case 0 -> Optional.of(NONE);
      case 1 -> Optional.of(LZ4);
      case 2 -> Optional.of(ZSTD);
      default -> Optional.empty();
    };
  }
}
