// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
}
