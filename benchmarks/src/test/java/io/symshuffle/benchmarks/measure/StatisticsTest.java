// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatisticsTest {
  @Test
  void medianIsTheMiddleValueOrTheMeanOfTheMiddleTwo() {
    assertAll(
        () -> assertEquals(3, Statistics.median(List.of(9.0, 1.0, 3.0))),
        () -> assertEquals(2, Statistics.median(List.of(9.0, 1.0, 3.0, 1.0))),
        () -> assertEquals(7, Statistics.median(List.of(7.0))),
        () -> assertThrows(IllegalArgumentException.class, () -> Statistics.median(List.of())));
  }

  @Test
  void valuesAreClearlyLargerIfNearlyAllPairsAre() {
    List<Double> low = List.of(1.0, 1.1, 1.2, 1.3, 1.4);
    assertAll(
        () -> assertTrue(Statistics.clearlyLarger(List.of(1.35, 1.5, 1.6, 1.7, 1.8), low)),
        () -> assertFalse(Statistics.clearlyLarger(List.of(1.15, 1.5, 1.6, 1.7, 1.8), low)),
        () -> assertFalse(Statistics.clearlyLarger(low, low)),
        () -> assertFalse(Statistics.clearlyLarger(List.of(9.0, 9.0), List.of(1.0, 1.0))));
  }

  @Test
  void geometricMeanOfTwiceAndHalfIsOne() {
    assertAll(
        () -> assertEquals(1, Statistics.geometricMean(List.of(2.0, 0.5)), 1e-12),
        () -> assertEquals(4, Statistics.geometricMean(List.of(2.0, 4.0, 8.0)), 1e-12),
        () -> assertEquals(Double.NaN, Statistics.geometricMean(List.of())),
        () ->
            assertThrows(
                IllegalArgumentException.class, () -> Statistics.geometricMean(List.of(0.0))));
  }
}
