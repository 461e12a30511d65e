// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.FakeApplication;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class AlternatingRunsTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path folder;

  @Test
  void deletesOnlyRowsOfEarlierRun() throws IOException {
    Path rows = AlternatingRuns.rowsFolder(folder);
    for (String name : List.of("q1.sort.txt", "q1.unlimited.txt.other", "q1.csv", "notes")) {
      Files.createFile(rows.resolve(name));
    }
    Files.createDirectory(rows.resolve("mine.txt"));
    assertEquals(rows, AlternatingRuns.rowsFolder(folder));
    try (Stream<Path> left = Files.list(rows)) {
      assertEquals(
          List.of("mine.txt", "notes", "q1.csv"),
          left.map(file -> file.getFileName().toString()).sorted().toList());
    }
  }

  @Test
  void runsOfApplicationsThatNeverRunAtOnceAreCompared() throws IOException {
    AlternatingRuns.Rounds rounds = rounds("select 1", 2);
    start("sort", rounds);
    Outcome first = rounds.outcome();
    start("symshuffle", rounds);
    start("symshuffle", rounds);
    start("sort", rounds);
    Outcome all = rounds.outcome();
    assertAll(
        () -> assertEquals(2, first.entries().getFirst().seconds().size()),
        () -> assertFalse(first.entries().getLast().succeeded(), "it has not run yet"),
        () -> assertEquals(List.of(), first.problems()),
        () -> assertTrue(first.runs(1).isEmpty()),
        () -> assertEquals(4, all.entries().getFirst().seconds().size()),
        () -> assertEquals(4, all.entries().getLast().seconds().size()),
        () -> assertTrue(all.same() && all.succeeded()));
  }

  @Test
  void differentRowsOfAnApplicationThatRunsLaterAreADifference() throws IOException {
    AtomicReference<String> rows = new AtomicReference<>("select 1");
    AlternatingRuns.Rounds rounds =
        alternating()
            .rounds(
                "q1",
                0,
                1,
                file -> new Request.Query("q1", rows.get(), file.toString()),
                Optional.empty());
    start("sort", rounds);
    rows.set("select 2");
    start("symshuffle", rounds);
    String difference = rounds.outcome().difference();
    assertTrue(difference.contains("sort: select 1"), difference);
    assertTrue(difference.contains("symshuffle: select 2"), difference);
  }

  private void start(String manager, AlternatingRuns.Rounds rounds) throws IOException {
    try (Application application = FakeApplication.answering(manager, folder, console())) {
      rounds.all(List.of(application), AlternatingRuns.Observer.NONE);
    }
  }

  private AlternatingRuns.Rounds rounds(String sql, int timed) {
    return alternating()
        .rounds(
            "q1",
            1,
            timed,
            file -> new Request.Query("q1", sql, file.toString()),
            Optional.empty());
  }

  private AlternatingRuns alternating() {
    return new AlternatingRuns(List.of("sort", "symshuffle"), folder, LIMIT, console());
  }

  private static Console console() {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    return new Console(nowhere, nowhere, false);
  }
}
