// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

/** The RAPIDS Accelerator on the class path is not compatible with table shuffles on the GPU. */
public final class RapidsMismatchException extends Exception {
  private static final long serialVersionUID = 1L;

  public RapidsMismatchException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
