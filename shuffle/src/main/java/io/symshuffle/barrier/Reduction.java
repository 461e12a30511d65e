// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

/** How an all-reduce combines the values of two PEs. */
public enum Reduction {
  /** Their sum; of integers modulo 2 to the 32 or 64. */
  SUM,
  /** The smaller one, as {@link Math#min(double, double)}: NaN if one is NaN, and -0.0 &lt; 0.0. */
  MIN,
  /** The larger one, as {@link Math#max(double, double)}. */
  MAX
}
