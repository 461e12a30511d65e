// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

import static java.util.Objects.requireNonNull;

/**
 * The probability of one kind of fault at one point.
 *
 * @param point where
 * @param kind the effect
 * @param probability each time that the point is reached, 0 to 1
 */
public record FaultRule(FaultPoint point, FaultKind kind, double probability) {
  /** Checks that the kind is possible at the point, and the range. */
  public FaultRule {
    requireNonNull(point, "point is null");
    requireNonNull(kind, "kind is null");
    if (!point.allows(kind)) {
      throw new IllegalArgumentException(
          "a fault of kind '%s' is not possible at '%s'".formatted(kind.label(), point.label()));
    }
    if (!(probability >= 0 && probability <= 1)) {
      throw new IllegalArgumentException(
          "the probability of %s.%s is %s, which is not between 0 and 1"
              .formatted(point.label(), kind.label(), probability));
    }
  }

  @Override
  public String toString() {
    return point.label() + "." + kind.label() + "=" + probability;
  }
}
