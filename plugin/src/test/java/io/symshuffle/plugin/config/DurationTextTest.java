// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "250us, PT0.00025S",
    "500ms, PT0.5S",
    "30s, PT30S",
    "30S, PT30S",
    "2m, PT2M",
    "2min, PT2M",
    "1h, PT1H",
    "3d, PT72H"
  })
  void readsDurationsInSparksFormat(String text, Duration duration) {
    assertEquals(duration, DurationText.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "30", "s", "-1s", "1.5s", "30 seconds", "1w", "9999999999999999s"})
  void refusesInvalidDurations(String text) {
    assertThrows(IllegalArgumentException.class, () -> DurationText.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0s", "250us", "1500ms", "30s", "2min", "90min", "1h", "1d"})
  void writesTheLargestUnitThatFits(String text) {
    assertEquals(text, DurationText.format(DurationText.parse(text)));
  }
}
