// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalDouble;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleMeterTest {
  @ParameterizedTest
  @CsvSource({
    "00:00:00.000, 0",
    "00:00:01.250, 1.25",
    "01:02:03.004, 3723.004",
    "100:00:00.5, 360000.5"
  })
  void timesOfRapidsAreSeconds(String text, double seconds) {
    assertEquals(seconds, ShuffleMeter.seconds(text).orElseThrow(), 1e-9);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "12", "0.50", "1.23MB (1289750 bytes)"})
  void otherMetricsAreNotTimes(String text) {
    assertEquals(OptionalDouble.empty(), ShuffleMeter.seconds(text));
  }
}
