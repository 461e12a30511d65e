// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

/** How often an exchange is timed: the same on all PEs, so it depends on its size alone. */
final class Repetitions {
  private static final long BYTES = 4L << 30;
  private static final int FEWEST = 5;
  private static final int MOST = 200;

  private Repetitions() {}

  static int of(long bytes) {
    return Math.clamp(BYTES / bytes, FEWEST, MOST);
  }

  /**
   * Before them: many of the small ones, whose time is that of our own code, which Java compiles.
   */
  static int warmUps(long bytes) {
    return Math.max(3, of(bytes) / 2);
  }
}
