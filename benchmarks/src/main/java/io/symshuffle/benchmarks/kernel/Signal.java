// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

/**
 * A number to set or to wait for.
 *
 * @param address an 8-byte aligned u64 that this GPU reaches
 * @param value the number, without a sign
 * @param pe the other PE
 */
public record Signal(long address, long value, int pe) {

  /** Checks. */
  public Signal {
    if (address == 0 || address % Long.BYTES != 0) {
      throw new IllegalArgumentException("a signal at the address " + address);
    }
  }
}
