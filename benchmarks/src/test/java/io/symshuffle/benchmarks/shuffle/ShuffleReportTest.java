// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShuffleReportTest {
  private static final Outcome GOOD = outcome("", "");

  @Test
  void countsDifferenceWithoutExchangeOnce() {
    ShuffleReport report = report(outcome("", "1 of 4 rows differ"));
    assertAll(
        () -> assertFalse(report.good()),
        () -> assertEquals("bench shuffle: 2 cases, 1 differ", report.summary()));
  }

  @Test
  void countsFailureWithoutExchangeOnce() {
    ShuffleReport report = report(outcome("Job aborted", ""));
    assertAll(
        () -> assertFalse(report.good()),
        () -> assertEquals("bench shuffle: 2 cases, 0 differ, 1 failed", report.summary()));
  }

  @Test
  void isGoodIfNothingFailedOrDiffered() {
    assertTrue(report(outcome("", "")).good());
  }

  /** One job with two numbers of partitions, which share the runs without the exchange. */
  private static ShuffleReport report(Outcome base) {
    return new ShuffleReport(
        null,
        1,
        "",
        List.of("sort", "symshuffle"),
        List.of(
            new ShuffleResult("join", 10, 8, base, GOOD),
            new ShuffleResult("join", 10, 200, base, GOOD)));
  }

  private static Outcome outcome(String failure, String difference) {
    return new Outcome(
        "join", List.of(entry("sort", ""), entry("symshuffle", failure)), difference, false);
  }

  private static Entry entry(String manager, String failure) {
    List<Double> seconds = failure.isEmpty() ? List.of(1.0) : List.of();
    return new Entry(manager, seconds, 4, ShuffleFigures.NONE, failure);
  }
}
