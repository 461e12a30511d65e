// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.plugin.membership.HostIdentity;
import io.symshuffle.plugin.membership.Member;
import io.symshuffle.plugin.membership.Member.State;
import io.symshuffle.plugin.membership.Message.StartReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverFoldersTest {
  private static final HostIdentity HERE = new HostIdentity("here", "boot-1");
  private static final HostIdentity THERE = new HostIdentity("there", "boot-2");

  @TempDir private Path base;
  private final FolderToken token = FolderToken.random();

  @Test
  void protectsTheFolderFromSweepsWithoutAnyExecutor() {
    HeapFolder folder = HeapFolder.open(base, token, List.of(base));
    DriverFolders folders = new DriverFolders(token, HERE, base);
    HostHeap heap = HostHeap.create(folder, 0, 1 << 16);
    folders.hold(base.toString());
    folders.hold(base.toString());
    heap.close();
    assertEquals(List.of(), HeapFolder.sweep(base, Duration.ZERO));
    assertTrue(Files.exists(folder.heapFile(0)));
    folders.close();
    assertEquals(List.of(folder.path()), HeapFolder.sweep(base, Duration.ZERO));
  }

  @Test
  void createsNoFolderWhereExecutorsHaveAnother() throws IOException {
    DriverFolders folders = new DriverFolders(token, HERE, base);
    folders.hold(base.toString());
    assertEquals(List.of(), entries());
    // An executor that shares the driver's mount.
    HeapFolder folder = HeapFolder.open(base, token, List.of(base));
    folders.hold(base.toString());
    assertEquals(List.of(), HeapFolder.sweep(base, Duration.ZERO));
    assertTrue(Files.exists(folder.path()));
    folders.close();
  }

  @Test
  void holdsNothingAfterTheEnd() throws IOException {
    DriverFolders folders = new DriverFolders(token, HERE, base);
    folders.close();
    folders.hold(base.toString());
    assertEquals(List.of(), entries());
  }

  private List<Path> entries() throws IOException {
    try (Stream<Path> entries = Files.list(base)) {
      return entries.toList();
    }
  }

  @Test
  void knowsFoldersOfItsOwnMachineOnlyAndRemovesThemAtTheEnd() {
    DriverFolders folders = new DriverFolders(token, HERE, base);
    folders.joined(new Member("7", 0, HERE, "", State.JOINED, 1));
    folders.joined(new Member("8", 1, THERE, "", State.JOINED, 2));
    folders.started(new StartReport("7", 1, base.toString(), "", ""));
    folders.started(new StartReport("8", 1, "/scratch", "", "It is full."));
    folders.started(new StartReport("9", 1, "/stranger", "", ""));
    assertEquals(Set.of(base.toString()), folders.bases());

    HeapFolder folder = HeapFolder.open(base, token, List.of(base));
    HostHeap.create(folder, 0, 1 << 16).close();
    folders.close();
    assertFalse(Files.exists(folder.path()));
  }

  @Test
  void removesTheHeapOfAnExecutorThatEndedBeforeItReported() {
    DriverFolders folders = new DriverFolders(token, HERE, base);
    folders.joined(new Member("7", 0, HERE, "", State.JOINED, 1));
    HeapFolder folder = HeapFolder.open(base, token, List.of(base));
    HostHeap.create(folder, 0, 1 << 16).close();
    folders.close();
    assertFalse(Files.exists(folder.path()));
  }

  @Test
  void leavesTheHeapsOfOtherMachinesAlone() {
    DriverFolders folders = new DriverFolders(token, HERE, base);
    folders.joined(new Member("8", 0, THERE, "", State.JOINED, 1));
    HeapFolder folder = HeapFolder.open(base, token, List.of(base));
    HostHeap.create(folder, 0, 1 << 16).close();
    folders.close();
    assertTrue(Files.exists(folder.heapFile(0)));
  }
}
