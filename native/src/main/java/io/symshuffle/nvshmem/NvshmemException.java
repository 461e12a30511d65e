// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

/**
 * NVSHMEM cannot be used, or can no longer be used; the message says why and what to do. Data that
 * was read or written before is still valid.
 */
public final class NvshmemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NvshmemException(String message) {
    super(message);
  }

  public NvshmemException(String message, Throwable cause) {
    super(message, cause);
  }
}
