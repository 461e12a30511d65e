// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConsoleTest {
  private static final long SECOND = 1_000_000_000;

  private final StringWriter out = new StringWriter();
  private long now = 5 * SECOND;

  @Test
  void fileGetsOnlyWholeLines() {
    Console console = console(false);
    console.status("q1: run 1");
    console.steps(1, 4);
    console.line("q1 done");
    assertEquals(List.of("q1 done"), lines());
  }

  @Test
  void fileGetsALineAfterTenSecondsWithoutOne() {
    Console console = console(false);
    console.status("q1: run 1");
    passSeconds(console, 9);
    assertEquals(List.of(), lines());
    passSeconds(console, 12);
    assertEquals(List.of("q1: run 1 (10 s)", "q1: run 1 (20 s)"), lines());
    console.status("");
    passSeconds(console, 30);
    assertEquals(2, lines().size());
  }

  @Test
  void lineSaysHowMuchIsDoneAndLeft() {
    Console console = console(false);
    console.steps(0, 4);
    console.status("lineitem");
    now += 20 * SECOND;
    console.steps(2, 4);
    passSeconds(console, 10);
    assertEquals(List.of("50 %: about 19 s left, lineitem (21 s)"), lines());
  }

  @Test
  void terminalGetsABarThatTheNextLineOverwrites() {
    Console console = console(true);
    console.steps(1, 2);
    console.status("lineitem");
    String bar = "[" + "#".repeat(10) + ".".repeat(10) + "] lineitem";
    assertEquals(bar, out.toString());
    console.line("done");
    assertTrue(out.toString().matches("(?s)\\Q" + bar + "\\E\r +\rdone\\R"), out.toString());
  }

  @Test
  void showsNoStateAfterItsEnd() {
    for (boolean terminal : List.of(true, false)) {
      Console console = console(terminal);
      console.status("q1: run 1");
      console.end("Interrupted.");
      console.status("q1: run 2");
      passSeconds(console, 30);
      assertTrue(out.toString().endsWith("Interrupted.\n"), out.toString());
    }
  }

  @Test
  void waitIsTheStateUntilItEnds() {
    Console console = console(false);
    try (Console.Waiting waiting = console.waiting("'sort' to start")) {
      passSeconds(console, 10);
      assertEquals(List.of("waiting for 'sort' to start (10 s)"), lines(), waiting::toString);
    }
    passSeconds(console, 30);
    assertEquals(1, lines().size());
  }

  @Test
  void stateThatIsShownHidesTheWaitBehindIt() {
    for (boolean terminal : new boolean[] {false, true}) {
      Console console = console(terminal);
      console.status("q5: run 2");
      console.waiting("'sort' to finish q5").close();
      passSeconds(console, 10);
      assertTrue(
          out.toString().endsWith("q5: run 2 (10 s)" + (terminal ? "" : "\n")), out.toString());
    }
  }

  private Console console(boolean terminal) {
    return new Console(new PrintWriter(out), terminal, () -> now);
  }

  private void passSeconds(Console console, int seconds) {
    for (int i = 0; i < seconds; i++) {
      now += SECOND;
      console.tick();
    }
  }

  private List<String> lines() {
    return out.toString().lines().toList();
  }
}
