// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

/** Operations of reductions, as ReduceOperation in benchmark_layout.h. */
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

  /** Returns its number in benchmark_layout.h. */
  int number() {
    return number;
  }
}
