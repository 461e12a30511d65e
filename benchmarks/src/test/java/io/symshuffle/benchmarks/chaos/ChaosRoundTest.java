// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.faults.FaultKind;
import io.symshuffle.benchmarks.faults.FaultPoint;
import io.symshuffle.benchmarks.faults.FaultSpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChaosRoundTest {
  /** The queries have up to six map tasks. */
  private static final int MAP_TASKS = 6;

  /** Otherwise a stage whose partitions are coalesced into one task fails again and again. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void mostTasksThatReadAllBlocksSurviveTheFaults(int number) {
    ChaosRound round = ChaosRound.number(number);
    int blocks = MAP_TASKS * Integer.parseInt(round.settings().get("spark.sql.shuffle.partitions"));
    double fatal =
        FaultSpec.parse(round.rules()).rules().stream()
            .filter(rule -> rule.point() == FaultPoint.READ && rule.kind() != FaultKind.DELAY)
            .mapToDouble(rule -> rule.probability() * blocks)
            .sum();
    assertTrue(fatal < 0.3, round.name() + ": " + fatal + " faults for each task");
  }
}
