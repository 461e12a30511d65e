// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.nvshmem;

/** What a signal does to its number; NVSHMEM_SIGNAL_SET and _ADD. */
public enum SignalOperation {
  /** Puts the value in its place. */
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
