// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

/**
 * Distributes a list of pieces over a GPU.
 *
 * @param ctas CTAs, 1 or more
 * @param tileUnits units of 2 KiB that a worker takes at a time, 1 or more
 * @param spans parts of the list that are read at the same time; for a list ordered by PE, the
 *     number of its PEs, so that every link is busy
 */
public record LaunchPlan(int ctas, int tileUnits, int spans) {

  public LaunchPlan {
    if (ctas < 1 || tileUnits < 1 || spans < 1) {
      throw new IllegalArgumentException(
          "%d CTAs, %d units per tile, %d spans".formatted(ctas, tileUnits, spans));
    }
  }
}
