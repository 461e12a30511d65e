// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.nvshmem;

/** Comparisons of a wait; NVSHMEM_CMP_*. Values are unsigned. */
public enum SignalComparison {
  /** Equal. */
  EQUAL(0),
  /** Not equal. */
  NOT_EQUAL(1),
  /** Greater. */
  GREATER(2),
  /** Less or equal. */
  AT_MOST(3),
  /** Less. */
  LESS(4),
  /** Greater or equal. */
  AT_LEAST(5);

  private final int number;

  SignalComparison(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
