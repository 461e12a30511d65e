// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.nvshmem;

/** Operations of a signal; NVSHMEM_SIGNAL_SET and _ADD. */
public enum SignalOperation {
  /** Sets the value. */
  SET(9),
  /** Adds the value. */
  ADD(10);

  private final int number;

  SignalOperation(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
