// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.ShmHeap;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapOpenerTest {
  @TempDir private Path temp;
  private Path memory;
  private Path disk;
  private Path local;
  private final FolderToken token = FolderToken.random();
  private final Map<String, String> conf = new HashMap<>();

  @BeforeEach
  void makeFolders() throws IOException {
    memory = Files.createDirectory(temp.resolve("memory"));
    disk = Files.createDirectory(temp.resolve("disk"));
    local = Files.createDirectory(temp.resolve("local"));
    conf.put("spark.symshuffle.heap.dir", memory.toString());
    conf.put("spark.symshuffle.heap.size", "1m");
    conf.put("spark.symshuffle.disk.dir", disk.toString());
  }

  @Test
  void makesTheHeapAndTheDiskFolderWhereTheSettingsSay() {
    HeapOpener.Opened opened = open();
    try (ShmHeap heap = opened.heap()) {
      assertEquals(5, heap.myPe());
      assertEquals(1 << 20, opened.arenaBytes());
      assertTrue(heap.size() >= ShuffleRuntime.windowBytes(1 << 20));
      assertEquals(memory, opened.base());
      assertTrue(opened.folder().path().startsWith(memory));
      assertTrue(opened.diskFolder().startsWith(disk));
      assertEquals(List.of(), opened.warnings());
    }
  }

  @Test
  void withoutADiskFolderSparksOwnServes() {
    conf.remove("spark.symshuffle.disk.dir");
    HeapOpener.Opened opened = open();
    opened.heap().close();
    assertTrue(opened.diskFolder().startsWith(local));
  }

  @Test
  void aHeapFolderThatCannotBeUsedIsReplacedByTheDiskWithAWarning() {
    conf.put("spark.symshuffle.heap.dir", temp.resolve("missing").toString());
    HeapOpener.Opened opened = open();
    opened.heap().close();
    assertEquals(disk, opened.base());
    assertEquals(1, opened.warnings().size());
    assertTrue(opened.warnings().getFirst().contains("spark.symshuffle.heap.dir"));
  }

  @Test
  void aDiskFolderThatCannotBeUsedIsReplacedBySparksOwnWithAWarning() {
    conf.put("spark.symshuffle.disk.dir", temp.resolve("missing").toString());
    HeapOpener.Opened opened = open();
    opened.heap().close();
    assertTrue(opened.diskFolder().startsWith(local));
    assertEquals(1, opened.warnings().size());
    assertTrue(opened.warnings().getFirst().contains("spark.symshuffle.disk.dir"));
  }

  @Test
  void whenBothAreWrongSparksOwnFolderStillServes() {
    conf.put("spark.symshuffle.heap.dir", temp.resolve("missing").toString());
    conf.put("spark.symshuffle.disk.dir", temp.resolve("missing").toString());
    HeapOpener.Opened opened = open();
    opened.heap().close();
    assertEquals(local, opened.base());
    assertTrue(opened.diskFolder().startsWith(local));
  }

  @Test
  void withNoPlaceAtAllTheReasonIsGiven() throws IOException {
    conf.put("spark.symshuffle.heap.dir", temp.resolve("missing").toString());
    conf.remove("spark.symshuffle.disk.dir");
    Files.delete(local);
    assertTrue(
        assertThrows(HeapException.class, this::open)
            .getMessage()
            .startsWith("no room for the heap"));
  }

  @Test
  void theDriverRemovesAllThatWasMade() throws IOException {
    open().heap().close();
    HeapCleaner.remove(token, Set.of(memory.toString(), temp.resolve("missing").toString()));
    assertEquals(List.of(), entries(memory));
    assertEquals(List.of(), entries(disk));
    assertFalse(Files.exists(temp.resolve("missing")));
  }

  private HeapOpener.Opened open() {
    return new HeapOpener(ConfigReader.read(conf), local).open(token, 5, 1);
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }
}
