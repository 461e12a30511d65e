// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFileTest {
  @TempDir private Path folder;

  @Test
  void reportIsReplacedAtomically() throws IOException {
    Path file = folder.resolve("times.json");
    ReportFile.write(file, "a longer text");
    // A reader still has the old file open.
    try (var old = Files.newBufferedReader(file)) {
      ReportFile.write(file, "short");
      assertEquals("a longer text", old.readLine());
    }
    assertEquals("short", Files.readString(file));
    try (var entries = Files.list(folder)) {
      assertEquals(List.of(file), entries.toList());
    }
  }

  @Test
  void writesTheTargetOfALink() throws IOException {
    Path target = Files.writeString(folder.resolve("target"), "old and longer");
    Path link = Files.createSymbolicLink(folder.resolve("link"), target);
    ReportFile.write(link, "new");
    assertTrue(Files.isSymbolicLink(link));
    assertEquals("new", Files.readString(target));
  }
}
