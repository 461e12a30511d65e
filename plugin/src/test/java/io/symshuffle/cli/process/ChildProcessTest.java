// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.process;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ChildProcessTest {
  @Test
  void killsHungProcessWithItsDescendants() {
    long start = System.nanoTime();
    ChildOutcome outcome =
        ChildProcess.run(
            List.of("sh", "-c", "echo here; sleep 600 & sleep 600"), Duration.ofMillis(500));
    assertAll(
        () -> assertTrue(outcome.timedOut()),
        () -> assertFalse(outcome.passed()),
        () -> assertEquals(List.of("here"), outcome.output()),
        () -> assertTrue(System.nanoTime() - start < 60_000_000_000L));
  }

  @Test
  void reportsCommandThatCannotBeStarted() {
    ChildOutcome outcome = ChildProcess.run(List.of("/nonexistent/command"), Duration.ofSeconds(5));
    assertEquals(-1, outcome.status());
  }

  @Test
  void saysOnceThatProcessTakesLong() {
    AtomicInteger notices = new AtomicInteger();
    List<String> command = List.of("sleep", "1");
    assertTrue(
        ChildProcess.run(
                command, Duration.ofSeconds(30), Duration.ofMillis(1), notices::incrementAndGet)
            .passed());
    assertEquals(1, notices.get());
    ChildProcess.run(
        command, Duration.ofSeconds(30), Duration.ofSeconds(20), notices::incrementAndGet);
    assertEquals(1, notices.get(), "it ended before");
  }

  @Test
  void mergesOutputsAndGivesEmptyInput() {
    ChildOutcome outcome =
        ChildProcess.run(
            List.of("sh", "-c", "cat; echo out; echo err >&2; exit 3"), Duration.ofSeconds(30));
    assertEquals(new ChildOutcome(3, false, List.of("out", "err")), outcome);
  }

  @Test
  void reportsExitAfterTheLastLine() throws IOException, InterruptedException {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    try (ChildProcess child =
        ChildProcess.start(
            List.of("sh", "-c", "echo 1; echo 2; exit 7"),
            events::add,
            status -> events.add("status " + status))) {
      for (String expected : List.of("1", "2", "status 7")) {
        assertEquals(expected, events.poll(30, TimeUnit.SECONDS));
      }
      assertEquals(List.of("1", "2"), child.lines());
    }
  }
}
