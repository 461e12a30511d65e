// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HeapPlace;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.membership.HostIdentity;
import io.symshuffle.plugin.membership.Member;
import io.symshuffle.plugin.membership.Message.StartReport;
import io.symshuffle.plugin.retention.DriverFolders;
import io.symshuffle.shuffle.fixture.SmallDisk;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapOpenerTest {
  @TempDir private Path temp;
  private Path memory;
  private Path disk;
  private Path local;
  private boolean encrypted;
  private int cores = 1;
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
  void createsTheHeapAndTheDiskFolderWhereTheSettingsSay() {
    HeapOpener.Opened opened = open();
    try (HostHeap heap = opened.heap()) {
      assertEquals(5, heap.myPe());
      assertEquals(1 << 20, opened.arenaBytes());
      assertTrue(heap.size() >= ShuffleRuntime.windowBytes(1 << 20));
      assertEquals(memory, opened.base());
      assertTrue(opened.folder().path().startsWith(memory));
      assertTrue(opened.diskFolders().getFirst().startsWith(disk));
      assertEquals(List.of(), opened.warnings());
    }
  }

  @Test
  void heapOfAnExecutorWithManyCoresHasSeveralFiles() {
    cores = 16;
    conf.put("spark.symshuffle.heap.size", "8g");
    try (HostHeap heap = open().heap()) {
      assertEquals(4, heap.files());
    }
    assertEquals(1, HeapOpener.files(64L << 30, 1));
    assertEquals(1, HeapOpener.files(64L << 30, 7));
    assertEquals(8, HeapOpener.files(64L << 30, 32));
    assertEquals(16, HeapOpener.files(64L << 30, 192));
    assertEquals(2, HeapOpener.files((3L << 30) - 1, 192));
    assertEquals(1, HeapOpener.files(1 << 20, 192));
  }

  @Test
  void refusesAHeapOnDiskWhenFilesAreEncrypted() throws IOException {
    encrypted = true;
    assumeFalse(HeapPlace.probe(memory, "temporary folder").memoryBacked());
    HeapException e = assertThrows(HeapException.class, this::open);
    assertTrue(e.getMessage().contains("set spark.symshuffle.heap.dir to a tmpfs"), e::getMessage);
    assertEquals(List.of(), entries(memory));
    conf.put("spark.symshuffle.heap.dir", "/dev/shm");
    HeapOpener.Opened opened = open();
    opened.heap().close();
    assertTrue(opened.folder().path().startsWith("/dev/shm"));
    opened.folder().removeIfUnused();
  }

  @Test
  void fallsBackToDiskWithAWarningWhenTheHeapFolderIsUnusable() {
    conf.put("spark.symshuffle.heap.dir", temp.resolve("missing").toString());
    HeapOpener.Opened opened = open();
    opened.heap().close();
    assertEquals(disk, opened.base());
    assertEquals(1, opened.warnings().size());
    assertTrue(opened.warnings().getFirst().contains("spark.symshuffle.heap.dir"));
  }

  @Test
  void fallsBackToSparksLocalFolderWithAWarningWhenTheDiskFolderIsUnusable() {
    conf.put("spark.symshuffle.disk.dir", temp.resolve("missing").toString());
    HeapOpener.Opened opened = open();
    opened.heap().close();
    assertTrue(opened.diskFolders().getFirst().startsWith(local));
    assertEquals(1, opened.warnings().size());
    assertTrue(opened.warnings().getFirst().contains("spark.symshuffle.disk.dir"));
  }

  @Test
  void fallsBackToSparksLocalFolderWhenBothAreUnusable() {
    conf.put("spark.symshuffle.heap.dir", temp.resolve("missing").toString());
    conf.put("spark.symshuffle.disk.dir", temp.resolve("missing").toString());
    HeapOpener.Opened opened = open();
    opened.heap().close();
    assertEquals(local, opened.base());
    assertTrue(opened.diskFolders().getFirst().startsWith(local));
  }

  @Test
  void fallsBackToAnotherLocalFolderWhenTheFirstOneIsFull() throws IOException {
    conf.put("spark.symshuffle.heap.dir", temp.resolve("missing").toString());
    conf.put("spark.symshuffle.heap.size", "8m");
    conf.remove("spark.symshuffle.disk.dir");
    try (SmallDisk full = SmallDisk.mount(temp.resolve("full"), 1 << 20)) {
      HeapOpener.Opened opened = open(List.of(full.folder(), local));
      opened.heap().close();
      assertEquals(local, opened.base());
      assertEquals(2, opened.diskFolders().size());
    }
  }

  @Test
  void throwsWithTheReasonWhenNoPlaceIsUsable() throws IOException {
    conf.put("spark.symshuffle.heap.dir", temp.resolve("missing").toString());
    conf.remove("spark.symshuffle.disk.dir");
    Files.delete(local);
    assertTrue(
        assertThrows(HeapException.class, this::open)
            .getMessage()
            .startsWith("no space for the heap"));
  }

  @Test
  void runsGoToAllLocalFoldersThatCanBeUsed() throws IOException {
    conf.remove("spark.symshuffle.disk.dir");
    Path second = Files.createDirectory(temp.resolve("local-2"));
    Path missing = temp.resolve("local-3");
    HeapOpener.Opened opened = open(List.of(missing, local, second));
    try (HostHeap heap = opened.heap()) {
      List<Path> folders = opened.diskFolders();
      assertEquals(2, folders.size());
      assertTrue(folders.get(0).startsWith(local) && folders.get(1).startsWith(second));
      assertEquals(folders, heap.diskFolders(5));
      assertEquals(1, opened.warnings().size());
      assertTrue(
          opened
              .warnings()
              .getFirst()
              .startsWith("Runs that do not fit into the heap do not go to " + missing),
          opened.warnings().getFirst());
      for (Path folder : folders) {
        Files.createFile(folder.resolve("1-2.runs"));
      }
      HeapFolder.sweep(local, Duration.ZERO);
      HeapFolder.sweep(second, Duration.ZERO);
      assertTrue(folders.stream().allMatch(folder -> Files.exists(folder.resolve("1-2.runs"))));
    }
    opened.folder().remove();
    assertEquals(List.of(), entries(local));
    assertEquals(List.of(), entries(second));
  }

  @Test
  void leavesOutLocalFoldersWhosePathsDoNotFit() throws IOException {
    conf.remove("spark.symshuffle.disk.dir");
    List<Path> many = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      many.add(Files.createDirectory(temp.resolve("local-" + i)));
    }
    HeapOpener.Opened opened = open(many);
    opened.heap().close();
    assertTrue(opened.diskFolders().size() > 10 && opened.diskFolders().size() < 60);
    assertTrue(opened.warnings().getFirst().contains("paths of so many local folders"));
  }

  @Test
  void keepsRunsOnDiskFromBeingSweptWhileTheHeapIsOpen() throws IOException {
    HeapOpener.Opened opened = open();
    Path run = Files.createFile(opened.diskFolders().getFirst().resolve("1-2.runs"));
    HostHeap heap = opened.heap();
    try (heap) {
      HeapFolder.sweep(disk, Duration.ZERO);
      assertTrue(Files.exists(run));
    }
    HeapFolder.sweep(disk, Duration.ZERO);
    assertFalse(Files.exists(run));
  }

  @Test
  void leavesNothingThatTheDriverDoesNotRemove() throws IOException {
    open().heap().close();
    HostIdentity here = new HostIdentity("here", "boot-1");
    try (DriverFolders folders = new DriverFolders(token, here, temp)) {
      folders.joined(new Member("7", 5, here, "", Member.State.JOINED, 1));
      folders.started(new StartReport("7", 1, memory.toString(), "", ""));
      folders.started(new StartReport("7", 1, temp.resolve("missing").toString(), "", ""));
    }
    assertEquals(List.of(), entries(memory));
    assertEquals(List.of(), entries(disk));
    assertFalse(Files.exists(temp.resolve("missing")));
  }

  private HeapOpener.Opened open() {
    return open(List.of(local));
  }

  private HeapOpener.Opened open(List<Path> localDirs) {
    return new HeapOpener(ConfigReader.read(conf), localDirs, encrypted, false, cores)
        .open(token, 5, 1);
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }
}
