// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupsTest {
  private static final long MB = 1_000_000;

  @Test
  void thoseThatShuffleMoreGainMoreIfThatIsBeyondTheScatter() {
    assertEquals(
        List.of(
            "2 queries that shuffle 100 MB and more, with symshuffle: 1.50 times as fast"
                + " (95 % interval 1.47 to 1.53)",
            "2 queries that shuffle less than 10 MB, with symshuffle: 1.00, within the scatter of"
                + " ±3 %",
            "With symshuffle those that shuffle 100 MB and more gain more than those that shuffle"
                + " less than 10 MB: 1.50 times as much (95 % interval 1.46 to 1.54)."),
        Groups.sentences(
            SampleReports.of(
                List.of(
                    outcome("q1", 120 * MB, 1.5, 0.01),
                    outcome("q2", 0, 1, 0.01),
                    outcome("q3", 100 * MB, 1.5, 0.01),
                    outcome("q4", 9 * MB, 1, 0.01)))));
  }

  @Test
  void groupsWhoseIntervalsOverlapAreNotCompared() {
    List<String> sentences =
        Groups.sentences(
            SampleReports.of(
                List.of(outcome("q1", 120 * MB, 1.05, 0.2), outcome("q2", 0, 1.08, 0.2))));
    assertEquals(2, sentences.size(), sentences.toString());
  }

  @Test
  void oneRunHasNoScatterAndSaysSo() {
    assertEquals(
        List.of(
            "1 query that shuffles 10 to 100 MB, with symshuffle: 1.20 times as fast in single"
                + " runs, whose scatter is unknown"),
        Groups.sentences(SampleReports.of(List.of(outcome("q1", 50 * MB, List.of(1.2), 1)))));
  }

  @Test
  void eachManagerHasItsOwnGain() {
    ShuffleFigures figures = new ShuffleFigures(1, 4, 200 * MB, 10, 0.1, 200 * MB, 0, 2, 0, 0);
    Outcome outcome =
        new Outcome(
            "q1",
            List.of(
                new Entry("sort", List.of(3.0), 1, figures, ""),
                new Entry("symshuffle", List.of(2.0), 1, figures, ""),
                new Entry("celeborn", List.of(4.0), 1, figures, "")),
            "",
            false,
            1);
    Report report =
        new Report(
            SampleReports.info(),
            SampleReports.plan(List.of(), List.of("q1")),
            List.of("sort", "symshuffle", "celeborn"),
            null,
            List.of(new Result("", "q1", 0, 0, outcome, null, List.of())),
            "");
    assertEquals(
        List.of(
            "1 query that shuffles 100 MB and more, with symshuffle: 1.50 times as fast in single"
                + " runs, whose scatter is unknown; with celeborn: 0.75 times as fast in single"
                + " runs, whose scatter is unknown"),
        Groups.sentences(report));
    assertTrue(
        report
            .summary()
            .contains("geometric mean speed-up 1.50 with symshuffle, 0.75 with celeborn"),
        report.summary());
  }

  private static Outcome outcome(String name, long bytes, double speedUp, double scatter) {
    return outcome(
        name, bytes, List.of(speedUp, speedUp * (1 + scatter), speedUp / (1 + scatter)), 3);
  }

  private static Outcome outcome(String name, long bytes, List<Double> sort, int runs) {
    ShuffleFigures figures = new ShuffleFigures(1, 4, bytes, 10, 0.1, bytes, 0, 2, 0, 0);
    return new Outcome(
        name,
        List.of(
            new Entry("sort", sort, 1, figures, ""),
            new Entry("symshuffle", List.of(1.0, 1.0, 1.0).subList(0, runs), 1, figures, "")),
        "",
        false,
        3);
  }
}
