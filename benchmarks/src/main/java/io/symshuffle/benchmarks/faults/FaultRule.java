// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

/**
 * The probability of one kind of fault at one point.
 *
 * @param point where
 * @param probability each time that the point is reached, 0 to 1
 */
public record FaultRule(FaultPoint point, FaultKind kind, double probability) {
  public FaultRule {
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
}
