// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.history.HistoryCheck;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChaosCountsTest {
  @ParameterizedTest
  @CsvSource({"0, 0, 0, true", "1, 0, 0, false", "0, 1, 0, false", "0, 0, 1, false"})
  void aViolationInAHistoryFailsTheSoak(long overlaps, long lost, long unleased, boolean clean) {
    ChaosCounts counts = new ChaosCounts();
    counts.history(new HistoryCheck.Result(50, overlaps, lost, unleased, List.of()));
    assertEquals(clean, counts.clean());
    String words =
        "history: 50 events, %d overlaps, %d lost, %d without lease"
            .formatted(overlaps, lost, unleased);
    assertTrue(counts.line().contains(words), counts.line());
  }
}
