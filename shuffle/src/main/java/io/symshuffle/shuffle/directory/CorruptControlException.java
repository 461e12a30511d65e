// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

/** A PE's control region has content that its owner cannot have written. */
public final class CorruptControlException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CorruptControlException(String message) {
    super(message);
  }
}
