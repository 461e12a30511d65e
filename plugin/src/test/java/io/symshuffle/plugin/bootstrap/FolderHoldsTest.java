// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapFolder;
import io.symshuffle.heap.ShmHeap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderHoldsTest {
  @TempDir private Path base;

  @Test
  void withoutAnyExecutorTheDriverKeepsTheFolderFromBeingSwept() {
    FolderToken token = FolderToken.random();
    HeapFolder folder = HeapFolder.open(base, token, base);
    try (FolderHolds holds = new FolderHolds(token)) {
      ShmHeap heap = ShmHeap.create(folder, 0, 1 << 16);
      holds.keep(base.toString());
      holds.keep(base.toString());
      heap.close();
      assertEquals(List.of(), HeapFolder.sweep(base, Duration.ZERO));
      assertTrue(Files.exists(folder.heapFile(0)));
    }
    assertEquals(List.of(folder.path()), HeapFolder.sweep(base, Duration.ZERO));
  }

  @Test
  void afterTheEndNothingIsMadeOrHeld() throws IOException {
    FolderHolds holds = new FolderHolds(FolderToken.random());
    holds.close();
    holds.keep(base.toString());
    try (Stream<Path> entries = Files.list(base)) {
      assertEquals(List.of(), entries.toList());
    }
  }
}
