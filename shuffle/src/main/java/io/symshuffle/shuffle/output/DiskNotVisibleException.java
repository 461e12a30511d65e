// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import java.io.IOException;

/**
 * Another executor's folder for runs on disk does not exist in this process's mount namespace, for
 * example because each pod has its own volume. Only its owner can send what is in it.
 */
public final class DiskNotVisibleException extends IOException {
  private static final long serialVersionUID = 1L;

  DiskNotVisibleException(String message) {
    super(message);
  }
}
