// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

/** More memory of a PE, which is closed and freed with its {@link SymmetricMemory}. */
interface Companion {
  /** Whether this PE accesses nothing of others anymore, now that it is closing. */
  boolean isIdle();

  /** Frees it: no PE can access it. May be called again. */
  void free();
}
