// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

/** Tests whether PEs of this host are alive. Thread-safe. */
@FunctionalInterface
public interface PeProbe {
  /**
   * Whether the process of a PE is alive.
   *
   * @throws RuntimeException if this is unknown, for example because the PE's file cannot be opened
   */
  boolean isAlive(int pe);
}
