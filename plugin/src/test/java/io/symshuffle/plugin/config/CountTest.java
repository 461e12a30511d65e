// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CountTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "200, 200",
    "64k, 64000",
    "1m, 1000000",
    "1M, 1000000",
    "1.5m, 1500000",
    "400m, 400000000",
    "2b, 2000000000",
    "9223372036854775807, 9223372036854775807"
  })
  void readsCountsWithUnits(String text, long value) {
    assertEquals(new Count(value), Count.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "m", "-1", "1.5", "1.0001k", "1g", "1mb", "1 2", "9223372036854775808", "ten"})
  void refusesInvalidCounts(String text) {
    assertThrows(IllegalArgumentException.class, () -> Count.parse(text));
  }
}
