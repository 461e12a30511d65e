// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import java.io.IOException;

/** The JVM has no direct memory for the index of a map output on disk. */
final class NoMemoryException extends IOException {
  private static final long serialVersionUID = 1;

  NoMemoryException(String message) {
    super(message);
  }
}
