// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import java.io.IOException;

/** Data is in GPU memory, and this process has no GPU. */
final class NoGpuException extends IOException {
  private static final long serialVersionUID = 1L;

  NoGpuException(String message) {
    super(message);
  }
}
