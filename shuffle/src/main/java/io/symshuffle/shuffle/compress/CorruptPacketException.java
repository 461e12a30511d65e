// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import java.io.IOException;

/** A packet that cannot be decompressed. Readers report it as a fetch failure. */
public final class CorruptPacketException extends IOException {
  private static final long serialVersionUID = 1L;

  public CorruptPacketException(String message) {
    super(message);
  }

  CorruptPacketException(String message, Throwable cause) {
    super(message, cause);
  }
}
