// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

/**
 * A word to set or to wait for.
 *
 * @param address address of an 8-byte aligned u64 on this GPU
 * @param value the value, unsigned
 * @param pe the other PE
 */
public record Signal(long address, long value, int pe) {

  /** Checks the address. */
  public Signal {
    if (address == 0 || address % Long.BYTES != 0) {
      throw new IllegalArgumentException("a signal cannot be at address " + address);
    }
  }
}
