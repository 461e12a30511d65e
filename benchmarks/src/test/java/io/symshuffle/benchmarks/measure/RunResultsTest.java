// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.protocol.ResultColumns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunResultsTest {
  private static final ResultColumns BY_FIRST = new ResultColumns(List.of(0), List.of());

  @TempDir private Path folder;
  private int wholeRuns;

  @Test
  void deletesOnlyRowsOfEarlierRun() throws IOException {
    Path rows = RunResults.folder(folder);
    for (String name : List.of("q1.sort.txt", "q1.csv", "notes")) {
      Files.createFile(rows.resolve(name));
    }
    Files.createDirectory(rows.resolve("mine.txt"));
    assertEquals(rows, RunResults.folder(folder));
    try (Stream<Path> left = Files.list(rows)) {
      assertEquals(
          List.of("mine.txt", "notes", "q1.csv"),
          left.map(file -> file.getFileName().toString()).sorted().toList());
    }
  }

  @Test
  void rowsThatTieAtTheLimitAreLookedUpInTheUnlimitedResult() throws IOException {
    RunResults results = results(Optional.of(whole("", "1|a", "2|b", "2|c", "2|d")));
    add(results, "sort", "1|a", "2|b");
    add(results, "ours", "1|a", "2|c");
    add(results, "ours", "1|a", "2|d");
    assertAll(
        () -> assertEquals("", results.difference()),
        () -> assertTrue(results.tied()),
        () -> assertEquals(1, wholeRuns));
  }

  @Test
  void tiedRowMissingFromTheUnlimitedResultIsADifference() throws IOException {
    RunResults results = results(Optional.of(whole("", "1|a", "2|b", "2|c")));
    add(results, "sort", "1|a", "2|b");
    add(results, "ours", "1|a", "2|x");
    assertTrue(results.difference().startsWith("ours returned rows"), results.difference());
  }

  @Test
  void failureWithoutTheLimitIsADifference() throws IOException {
    RunResults results = results(Optional.of(whole("ours failed", "1|a", "2|b", "2|c")));
    add(results, "sort", "1|a", "2|b");
    add(results, "ours", "1|a", "2|c");
    assertEquals("ours failed", results.difference());
  }

  @Test
  void differingRowsWithoutALimitAreADifference() throws IOException {
    RunResults results = results(Optional.empty());
    add(results, "sort", "1|a", "2|b");
    add(results, "ours", "1|a", "2|c");
    assertAll(
        () -> assertTrue(results.difference().startsWith("1 of 2 rows differ")),
        () -> assertFalse(results.tied()));
  }

  @Test
  void rowsBeforeTheTiesMustBeTheSame() throws IOException {
    RunResults results = results(Optional.of(whole("", "1|a", "1|x", "2|b")));
    add(results, "sort", "1|a", "2|b");
    add(results, "ours", "1|x", "2|b");
    assertAll(
        () -> assertTrue(results.difference().startsWith("1 of 2 rows differ")),
        () -> assertEquals(0, wholeRuns));
  }

  private RunResults results(Optional<Function<Path, String>> whole) {
    return new RunResults(folder, "q", whole);
  }

  private Function<Path, String> whole(String difference, String... rows) {
    return file -> {
      wholeRuns++;
      try {
        Files.write(file, List.of(rows));
        return difference;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  private static void add(RunResults results, String manager, String... rows) throws IOException {
    Path file = results.fileOf(manager);
    Files.write(file, List.of(rows));
    results.compare(manager, file, BY_FIRST);
  }
}
