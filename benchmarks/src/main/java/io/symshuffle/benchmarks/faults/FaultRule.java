// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

import static java.util.Objects.requireNonNull;

/**
 * How often a kind of fault strikes at a point.
 *
 * @param point where
 * @param kind what happens
 * @param probability each time that the point is passed, 0 to 1
 */
public record FaultRule(FaultPoint point, FaultKind kind, double probability) {
  /** Checks that the kind makes sense at the point, and the range. */
  public FaultRule {
    requireNonNull(point, "point is null");
    requireNonNull(kind, "kind is null");
    if (!point.allows(kind)) {
      throw new IllegalArgumentException(
          "a fault of kind '%s' makes no sense at '%s'".formatted(kind.label(), point.label()));
    }
    if (!(probability >= 0 && probability <= 1)) {
      throw new IllegalArgumentException(
          "%s.%s has probability %s, which is not from 0 to 1"
              .formatted(point.label(), kind.label(), probability));
    }
  }

  @Override
  public String toString() {
    return point.label() + "." + kind.label() + "=" + probability;
  }
}
