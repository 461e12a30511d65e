// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

/** This GPU, heap or element type does not support the kernel; nothing was launched. */
public final class UnsupportedKernelException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnsupportedKernelException(String message) {
    super(message);
  }
}
