// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/** A heap, or one of its files or folders, is missing or invalid; the message says what to do. */
public final class HeapException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public HeapException(String message) {
    super(message);
  }

  public HeapException(String message, Throwable cause) {
    super(message, cause);
  }
}
