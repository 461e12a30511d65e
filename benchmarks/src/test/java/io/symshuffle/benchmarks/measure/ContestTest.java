// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContestTest {
  @Test
  void deletesOnlyRowsOfEarlierRun(@TempDir Path out) throws IOException {
    Path rows = Contest.rowsFolder(out);
    for (String name : List.of("q1.sort.txt", "q1.unlimited.txt.other", "q1.csv", "notes")) {
      Files.createFile(rows.resolve(name));
    }
    Files.createDirectory(rows.resolve("mine.txt"));
    assertEquals(rows, Contest.rowsFolder(out));
    try (Stream<Path> left = Files.list(rows)) {
      assertEquals(
          List.of("mine.txt", "notes", "q1.csv"),
          left.map(file -> file.getFileName().toString()).sorted().toList());
    }
  }
}
