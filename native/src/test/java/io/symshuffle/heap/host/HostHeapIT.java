// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.SharedMemory;
import io.symshuffle.heap.folder.HeapFolder;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The host heap with 1, 2, 3 and 5 processes. The processes of one number of PEs serve several
 * tests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostHeapIT {
  private static final long SEED = Long.getLong("symshuffle.seed", System.nanoTime());

  @TempDir(factory = SharedMemory.class)
  private Path shared;

  private final Map<Integer, HostPeGroup> groups = new HashMap<>();
  private int folders;

  private Path newFolder() throws IOException {
    return Files.createDirectory(shared.resolve("group-" + folders++));
  }

  private static HeapFolder open(Path folder) {
    return HeapFolder.open(folder, HostPeGroup.TOKEN, List.of(folder));
  }

  private HostPeGroup group(int peCount) throws IOException, InterruptedException {
    HostPeGroup group = groups.get(peCount);
    if (group == null || !group.isUsable()) {
      if (group != null) {
        group.close();
      }
      group = new HostPeGroup(peCount, newFolder());
      groups.put(peCount, group);
    }
    return group;
  }

  @AfterAll
  void endProcesses() {
    groups.values().forEach(HostPeGroup::close);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void everyPeReadsEveryWindow(int peCount) throws Exception {
    group(peCount).run(HostHeapStep.MARK, SEED);
    group(peCount).run(HostHeapStep.FIND_MARKS, SEED);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void everyPeReadsStoresOfEveryOtherAndCannotStoreThere(int peCount) throws Exception {
    for (int round = 0; round < 3; round++) {
      group(peCount).run(HostHeapStep.CLEAR, SEED);
      group(peCount).run(HostHeapStep.SCATTER, SEED + round);
      group(peCount).run(HostHeapStep.CHECK_SCATTERED, SEED + round);
    }
  }

  private static void assertContent(MemorySegment window, int pe) {
    assertArrayEquals(
        HostHeapStep.content(SEED, pe, HostPeGroup.WINDOW_BYTES), window.toArray(JAVA_BYTE));
  }

  @Test
  void detectsAKilledPeAndReadsItsWindow() throws Exception {
    Path folder = newFolder();
    try (HostPeGroup group = new HostPeGroup(3, folder);
        HostHeap mappedBefore = HostHeap.create(open(folder), 3, 1 << 20);
        HostHeap mappedAfter = HostHeap.create(open(folder), 4, 1 << 20)) {
      group.run(HostHeapStep.FILL, SEED);
      MemorySegment view = mappedBefore.peer(1).orElseThrow();
      assertTrue(mappedBefore.isAlive(1));

      group.kill(1);

      assertFalse(mappedBefore.isAlive(1));
      assertTrue(mappedBefore.isAlive(0) && mappedBefore.isAlive(2) && mappedBefore.isAlive(4));
      assertContent(view, 1);
      assertContent(mappedAfter.peer(1).orElseThrow(), 1);
      group.run(HostHeapStep.FILL, SEED, 0, 2);
      assertContent(mappedAfter.peer(2).orElseThrow(), 2);
    }
  }

  @Test
  void windowOfALatePeAppearsAndStaysReadableAfterItCloses() throws IOException {
    HeapFolder folder = open(newFolder());
    try (HostHeap early = HostHeap.create(folder, 0, 1 << 20)) {
      assertEquals(Optional.empty(), early.peer(1));
      assertFalse(early.isAlive(1));
      assertEquals(
          "PE 1 has no heap file " + folder.heapFile(1),
          assertThrows(HeapException.class, () -> early.diskFolders(1).getFirst()).getMessage());

      try (HostHeap late = HostHeap.create(folder, 1, 1 << 20)) {
        assertEquals(late.size(), early.peer(1).orElseThrow().byteSize());
        assertTrue(early.isAlive(1));
      }
      assertFalse(early.isAlive(1));
      assertTrue(early.peer(1).isPresent());
    }
  }

  @Test
  void sweepsTheFolderOfAKilledApplicationButNotOfALiveOne() throws Exception {
    Path folder = newFolder();
    HostPeGroup group = new HostPeGroup(2, folder);
    Path swept = open(folder).path();
    try (group) {
      open(folder).diskFolders(1).getFirst();
      group.kill(0);
      assertEquals(List.of(), HeapFolder.sweep(folder, Duration.ZERO), "PE 1 is alive");
    }
    assertEquals(List.of(), HeapFolder.sweep(folder), "it is too young");
    assertTrue(Files.exists(swept));
    assertEquals(List.of(swept), HeapFolder.sweep(folder, Duration.ZERO));
    assertFalse(Files.exists(swept));
  }

  @Test
  void secondProcessCannotTakeAUsedPeNumber() throws Exception {
    Path folder = newFolder();
    try (HostPeGroup group = new HostPeGroup(1, folder)) {
      assertThrows(HeapException.class, () -> HostHeap.create(open(folder), 0, 1 << 20));
      group.kill(0);
      assertThrows(HeapException.class, () -> HostHeap.create(open(folder), 0, 1 << 20));
    }
  }
}
