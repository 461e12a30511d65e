// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

/**
 * How often an exchange is timed, which depends only on its size and is thus the same on all PEs.
 */
final class Repetitions {
  private static final long BYTES = 4L << 30;
  private static final int MIN_COUNT = 5;
  private static final int MAX_COUNT = 200;

  private Repetitions() {}

  static int of(long bytes) {
    return Math.clamp(BYTES / bytes, MIN_COUNT, MAX_COUNT);
  }

  /**
   * Warm-up exchanges: many for small sizes, whose time is mostly Java code, which has to be
   * compiled.
   */
  static int warmUps(long bytes) {
    return Math.max(3, of(bytes) / 2);
  }
}
