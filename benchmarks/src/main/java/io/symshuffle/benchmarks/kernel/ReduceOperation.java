// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

/** What a reduction does with two elements, as ReduceOperation in layout.h. */
public enum ReduceOperation {
  /** Adds them; integers wrap around. */
  SUM(0),
  /** Takes the smaller. */
  MIN(1),
  /** Takes the larger. */
  MAX(2);

  private final int number;

  ReduceOperation(int number) {
    this.number = number;
  }

  /** Its number in layout.h. */
  int number() {
    return number;
  }
}
