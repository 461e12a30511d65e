// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import io.symshuffle.benchmarks.protocol.SoakTask;

/**
 * A task that computed something else than expected.
 *
 * @param expected what it should have computed
 * @param computed what it computed; null if its result is missing
 */
record WrongTask(SoakTask expected, SoakTask computed) {
  /** Returns the difference in the sum of lengths, and how many rows are known to be wrong. */
  String text() {
    if (computed == null) {
      return "task " + expected.task() + " has no result";
    }
    return ("task %d: lengths %+d, rows %+d, keys %+d, values %+.0f; %d nulls, %d wrong lengths, %d"
            + " wrong strings")
        .formatted(
            expected.task(),
            computed.lengths() - expected.lengths(),
            computed.rows() - expected.rows(),
            computed.keys() - expected.keys(),
            computed.values() - expected.values(),
            computed.nulls(),
            computed.wrongLengths(),
            computed.wrongStrings());
  }
}
