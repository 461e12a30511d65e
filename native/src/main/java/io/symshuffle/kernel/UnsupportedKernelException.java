// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

/** The kernels are absent or do not match the classes; nothing was launched. */
public final class UnsupportedKernelException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnsupportedKernelException(String message) {
    super(message);
  }
}
