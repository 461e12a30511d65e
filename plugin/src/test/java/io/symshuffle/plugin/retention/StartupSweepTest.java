// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.SymShuffleConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartupSweepTest {
  @TempDir private Path temp;

  @Test
  void findsHeapsOnDiskOfDeadExecutorsOfTheSameWorker() throws IOException {
    Path heaps = Files.createDirectory(temp.resolve("memory"));
    Path dead = Files.createDirectories(temp.resolve("spark-1/executor-2"));
    Path own = Files.createDirectories(temp.resolve("spark-3/executor-4"));
    HeapFolder left = HeapFolder.open(dead, FolderToken.random(), List.of(dead));
    HostHeap.create(left, 0, 1 << 16).close();
    HeapFolder used = HeapFolder.open(own, FolderToken.random(), List.of(own));
    try (HostHeap heap = HostHeap.create(used, 0, 1 << 16)) {
      assertTrue(heap.isAlive(0));
      for (Path place : StartupSweep.places(config(heaps), List.of(own))) {
        HeapFolder.sweep(place, Duration.ZERO);
      }
      assertFalse(Files.exists(left.path()));
      assertTrue(Files.exists(used.path()));
    }
  }

  @Test
  void searchesOnlyItselfIfTheLocalFolderHasAnotherForm() throws IOException {
    Files.createDirectories(temp.resolve("spark-1/executor-2"));
    assertEquals(
        Set.of(temp.resolve("memory"), temp),
        StartupSweep.places(config(temp.resolve("memory")), List.of(temp)));
  }

  private static SymShuffleConfig config(Path heaps) {
    return ConfigReader.read(
        Map.of("spark.symshuffle.heap.dir", heaps.toString(), "spark.symshuffle.heap.size", "1m"));
  }
}
