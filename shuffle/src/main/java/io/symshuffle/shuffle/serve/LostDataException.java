// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import java.io.IOException;

/** Data that cannot be read here, and that its owner cannot send, since it is dead. */
final class LostDataException extends IOException {
  private static final long serialVersionUID = 1L;

  LostDataException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
