// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.FakeApplication;
import io.symshuffle.benchmarks.launch.Running;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs on applications that follow each other. */
class JobRunsTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private String sql = "select 1";

  @Test
  void runsOfAllStartsAreCompared() throws IOException {
    JobRuns runs = runs();
    start("sort", runs);
    Outcome first = runs.outcome();
    start("symshuffle", runs);
    start("symshuffle", runs);
    start("sort", runs);
    Outcome all = runs.outcome();
    assertAll(
        () -> assertEquals(2, first.entries().getFirst().seconds().size()),
        () -> assertFalse(first.entries().getLast().succeeded(), "it has not run yet"),
        () -> assertEquals(List.of(), first.problems()),
        () -> assertTrue(first.runs(1).isEmpty()),
        () -> assertEquals(4, all.entries().getFirst().seconds().size()),
        () -> assertEquals(4, all.entries().getLast().seconds().size()),
        () -> assertEquals(4, runs.costs().getFirst().cpuSeconds().size(), "not of warm-ups"),
        () -> assertTrue(all.same() && all.succeeded()));
  }

  @Test
  void differentRowsOfAnApplicationThatRunsLaterAreADifference() throws IOException {
    JobRuns runs = runs();
    start("sort", runs);
    sql = "select 2";
    start("symshuffle", runs);
    String difference = runs.outcome().difference();
    assertTrue(difference.contains("sort: select 1"), difference);
    assertTrue(difference.contains("symshuffle: select 2"), difference);
  }

  private void start(String manager, JobRuns runs) throws IOException {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Console console = new Console(nowhere, false);
    try (Running running =
        new Running(
            FakeApplication.answering(manager, folder, console),
            Optional.empty(),
            Optional.empty(),
            Optional.empty())) {
      runs.run(running, false);
      runs.run(running, true);
      runs.run(running, true);
    }
  }

  private JobRuns runs() {
    return new JobRuns(
        "q1",
        List.of("sort", "symshuffle"),
        folder,
        2,
        file -> new Request.Query("q1", sql, file.toString()),
        Optional.empty(),
        false,
        LIMIT);
  }
}
