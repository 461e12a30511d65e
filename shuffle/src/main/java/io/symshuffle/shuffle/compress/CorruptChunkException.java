// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import java.io.IOException;

/** A chunk that cannot be decompressed. Readers report it as a fetch failure. */
public final class CorruptChunkException extends IOException {
  private static final long serialVersionUID = 1L;

  CorruptChunkException(String message) {
    super(message);
  }

  CorruptChunkException(String message, Throwable cause) {
    super(message, cause);
  }
}
