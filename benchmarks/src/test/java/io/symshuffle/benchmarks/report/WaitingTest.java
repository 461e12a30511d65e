// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitingTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private void waitFor(boolean terminal, int seconds) {
    Console console = new Console(new PrintWriter(out), new PrintWriter(err), terminal);
    try (Waiting waiting = new Waiting(console, () -> "'sort' to finish q5", false)) {
      for (int i = 0; i < seconds; i++) {
        waiting.tick();
      }
    }
  }

  @Test
  void saysNothingForNineSeconds() {
    waitFor(false, 9);
    assertEquals("", out + "" + err);
  }

  @Test
  void saysWhatItWaitsForAfterTenSecondsAndEveryMinute() {
    waitFor(false, 125);
    assertEquals(
        List.of(
            "Waiting 10 s for 'sort' to finish q5",
            "Waiting 60 s for 'sort' to finish q5",
            "Waiting 120 s for 'sort' to finish q5"),
        err.toString().lines().toList());
    assertEquals("", out.toString());
  }

  @Test
  void countsFromTheLastProgress() {
    Console console = new Console(new PrintWriter(out), new PrintWriter(err), false);
    try (Waiting waiting = new Waiting(console, () -> "tables", false)) {
      for (int i = 0; i < 18; i++) {
        if (i == 9) {
          waiting.restart();
        }
        waiting.tick();
      }
    }
    assertEquals("", err.toString());
  }
}
