// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MeaningTest {
  private static final long MIB = 1 << 20;

  @Test
  void halvesAreThoseThatShuffleMoreAndLessPerSecondOfTaskTime() {
    List<String> sentences =
        Meaning.sentences(
            SampleReports.of(
                List.of(
                    outcome("q1", 12 * MIB, 1.5),
                    outcome("q2", 0, 1),
                    outcome("q3", 8 * MIB, 1.5),
                    outcome("q4", 10 * MIB, 1.5),
                    outcome("q5", MIB, 0.9),
                    outcome("q6", 2 * MIB, 1))));
    assertAll(
        sentences.toString(),
        () ->
            assertTrue(
                sentences
                    .getFirst()
                    .contains("at least 4.0 MiB per second of task time (3 of 6) ran 1.50 times")),
        () -> assertTrue(sentences.getFirst().endsWith("with symshuffle, the others 0.97 times.")),
        () -> assertTrue(sentences.getLast().contains("bin/symshuffle tune --event-log")));
  }

  @Test
  void aFewQueriesMeanNothing() {
    assertEquals(
        List.of(),
        Meaning.sentences(
            SampleReports.of(
                IntStream.range(0, 5).mapToObj(i -> outcome("q" + i, i * MIB, 2)).toList())));
  }

  /** Tasks run for 2 s. */
  private static Outcome outcome(String name, long bytes, double speedUp) {
    ShuffleFigures figures = new ShuffleFigures(1, 4, bytes, 10, 0.1, bytes, 0, 2, 0, 0);
    return new Outcome(
        name,
        List.of(
            new Entry("sort", List.of(speedUp), 1, figures, ""),
            new Entry("symshuffle", List.of(1.0), 1, figures, "")),
        "",
        false);
  }
}
