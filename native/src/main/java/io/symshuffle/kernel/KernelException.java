// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

/** A kernel failed or cannot be launched; the message says which kernel, where and why. */
public final class KernelException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public KernelException(String message) {
    super(message);
  }
}
