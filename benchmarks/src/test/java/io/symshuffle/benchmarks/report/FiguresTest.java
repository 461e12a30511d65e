// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class FiguresTest {
  @Test
  void secondsHaveThreeSignificantDigits() {
    assertAll(
        () -> assertEquals("0.012", Figures.seconds(0.0123)),
        () -> assertEquals("1.23", Figures.seconds(1.234)),
        () -> assertEquals("-0.100", Figures.seconds(-0.1)),
        () -> assertEquals("123.4", Figures.seconds(123.4)));
  }

  @Test
  void bytesHaveAFittingUnit() {
    assertAll(
        () -> assertEquals("0 B", Figures.bytes(0)),
        () -> assertEquals("1023 B", Figures.bytes(1023)),
        () -> assertEquals("1.5 KiB", Figures.bytes(1536)),
        () -> assertEquals("12.0 MiB", Figures.bytes(12L << 20)),
        () -> assertEquals("3.00 GiB", Figures.bytes(3L << 30)));
  }

  @Test
  void missingRatioIsADash() {
    assertAll(
        () -> assertEquals("1.50", Figures.ratio(OptionalDouble.of(1.5))),
        () -> assertEquals("-", Figures.ratio(OptionalDouble.empty())),
        () -> assertEquals("-", Figures.ratio(OptionalDouble.of(Double.NaN))));
  }

  @Test
  void thousandsAreSeparated() {
    assertEquals("6,001,215", Figures.count(6_001_215));
  }
}
