// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.ffi.NativeFile;
import io.symshuffle.ffi.UserId;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.SharedMemory;
import io.symshuffle.heap.host.HostHeap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapFolderSweepTest {
  @TempDir(factory = SharedMemory.class)
  Path base;

  @TempDir Path disk;

  private HeapFolder open() {
    return HeapFolder.open(base, FolderToken.random(), List.of(disk));
  }

  private List<Path> sweep() {
    return HeapFolder.sweep(base, Duration.ZERO);
  }

  @Test
  void removesUnheldFoldersWithTheirDiskFolders() throws IOException {
    HeapFolder folder = open();
    Files.writeString(folder.diskFolders(0).getFirst().resolve("run"), "bytes");
    HostHeap.create(folder, 0, 1 << 20).close();

    assertEquals(List.of(folder.path()), sweep());

    assertFalse(Files.exists(folder.path()));
    assertFalse(Files.exists(disk.resolve(folder.path().getFileName())));
    assertTrue(Files.exists(disk), "the disk base itself is kept");
  }

  @Test
  void keepsYoungFolders() {
    HeapFolder folder = open();

    assertEquals(List.of(), HeapFolder.sweep(base));
    assertTrue(Files.exists(folder.path()));
  }

  @Test
  void keepsHeldFolders() {
    HeapFolder withHeap = open();
    HeapFolder withHold = open();
    try (HostHeap heap = HostHeap.create(withHeap, 0, 1 << 20)) {
      try (NativeFile hold = withHold.hold()) {
        assertEquals(List.of(), sweep());
        assertFalse(withHold.removeIfUnused(), hold::toString);
      }
      assertEquals(List.of(withHold.path()), sweep());
      assertTrue(heap.isAlive(0));
    }
    assertTrue(withHeap.removeIfUnused());
    assertFalse(Files.exists(withHeap.path()));
  }

  @Test
  void keepsDiskFoldersOfDeadPesWhileTheHeapsAreHeld() throws IOException {
    HeapFolder folder = open();
    Path run = Files.writeString(folder.diskFolders(0).getFirst().resolve("run"), "bytes");
    try (NativeFile hold = folder.hold()) {
      assertEquals(List.of(), HeapFolder.sweep(disk, Duration.ZERO), hold::toString);
      assertEquals("bytes", Files.readString(run));
    }

    assertEquals(List.of(run.getParent().getParent()), HeapFolder.sweep(disk, Duration.ZERO));

    assertTrue(Files.exists(folder.path()), "the heaps are swept in their own folder");
  }

  @Test
  void removesDiskFoldersWithoutHeaps() throws IOException {
    HeapFolder folder = open();
    Path application = folder.diskFolders(0).getFirst().getParent();
    Files.delete(folder.path());

    assertEquals(List.of(application), HeapFolder.sweep(disk, Duration.ZERO));
  }

  @Test
  void ignoresALinkToAnotherFolder() throws IOException {
    HeapFolder folder = open();
    Path application = folder.diskFolders(0).getFirst().getParent();
    HeapFolder other = open();
    Files.delete(application.resolve(HeapLink.NAME));
    Files.createSymbolicLink(application.resolve(HeapLink.NAME), other.path());
    try (NativeFile hold = other.hold()) {
      assertEquals(List.of(application), HeapFolder.sweep(disk, Duration.ZERO), hold::toString);
    }
  }

  @Test
  void keepsFoldersOfOthers() throws IOException {
    String uid = Integer.toUnsignedString(UserId.effective());
    Path wrongMode =
        Files.createDirectory(base.resolve("symshuffle-" + uid + "-" + "1".repeat(32)));
    Files.setPosixFilePermissions(wrongMode, PosixFilePermissions.fromString("rwxr-xr-x"));
    List<Path> others = new ArrayList<>(List.of(wrongMode));
    for (String name :
        List.of("symshuffle-4711-" + "2".repeat(32), "symshuffle-" + uid + "-abc", "data")) {
      Path folder = Files.createDirectory(base.resolve(name));
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
      others.add(folder);
    }
    Path target = Files.createDirectory(disk.resolve("target"));
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
    others.add(
        Files.createSymbolicLink(base.resolve("symshuffle-" + uid + "-" + "3".repeat(32)), target));

    assertEquals(List.of(), sweep());

    others.forEach(path -> assertTrue(Files.exists(path), path::toString));
  }

  @Test
  void removesLinksWithoutFollowingThem() throws IOException {
    HeapFolder folder = open();
    Path precious = Files.createDirectory(disk.resolve("precious"));
    Files.writeString(precious.resolve("file"), "precious");
    Files.createSymbolicLink(folder.path().resolve("link"), precious);
    Files.createSymbolicLink(folder.diskFolders(0).getFirst().resolve("link"), precious);

    folder.remove();
    folder.remove();

    assertFalse(Files.exists(folder.path()));
    assertFalse(Files.exists(disk.resolve(folder.path().getFileName())));
    assertEquals("precious", Files.readString(precious.resolve("file")));
  }

  /**
   * A process may end while it unlinks, and then the driver removes the disks that headers name.
   */
  @Test
  void headerOfADeadPeNamesItsDisksUntilTheirFoldersAreGone() throws Exception {
    FolderToken token = FolderToken.random();
    HeapFolder ofDead = HeapFolder.open(base, token, List.of(disk));
    HostHeap.create(ofDead, 0, 1 << 20).close();
    Path runs = ofDead.diskFolders(0).getFirst();
    for (int run = 0; run < 1000; run++) {
      Files.createFile(runs.resolve("run " + run));
    }
    HeapFolder ofLiving = HeapFolder.open(base, token, List.of(base));
    try (HostHeap living = HostHeap.create(ofLiving, 1, 1 << 20)) {
      CompletableFuture<Void> unlinking = CompletableFuture.runAsync(() -> living.unlink(0));
      while (!unlinking.isDone()) {
        assertTrue(hasHeader(ofDead.heapFile(0)) || Files.notExists(runs.getParent()));
      }
      unlinking.get();
    }
    assertFalse(Files.exists(ofDead.heapFile(0)));
    ofLiving.remove();
  }

  private static boolean hasHeader(Path heapFile) {
    try {
      return HeapFile.readHeader(heapFile).isPresent();
    } catch (HeapException e) {
      // It was released while it was read.
      return false;
    }
  }

  @Test
  void keepsADiskFolderOfAnotherUser() throws IOException {
    assumeTrue(UserId.effective() == 0, "only root can change a folder's owner");
    HeapFolder folder = open();
    Path diskFolder = folder.diskFolders(0).getFirst().getParent();
    HostHeap.create(folder, 0, 1 << 20).close();
    Files.setAttribute(diskFolder, "unix:uid", 65534);

    assertEquals(List.of(folder.path()), sweep());

    assertTrue(Files.exists(diskFolder));
  }

  @Test
  void removesAFolderWithDamagedHeapFiles() throws IOException {
    HeapFolder folder = open();
    Files.write(folder.heapFile(0), new byte[10_000]);
    Files.createDirectory(folder.heapFile(1));

    assertEquals(List.of(folder.path()), sweep());
  }

  /** A new heap's file exists, regardless of when sweeps run. */
  @Test
  void sweepsNeverRemoveNewHeaps() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    HeapFolder folder = open();
    try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
      Future<?> sweeper =
          executor.submit(
              () -> {
                while (!done.get()) {
                  HeapFolder.sweep(base, Duration.ofSeconds(-1));
                }
              });
      try {
        for (int pe = 0; pe < 300; pe++) {
          try (HostHeap heap = HostHeap.create(folder, pe, 1 << 16)) {
            assertTrue(Files.exists(folder.heapFile(pe)), "PE " + pe + " lost its file");
            assertTrue(heap.isAlive(pe));
          }
        }
      } finally {
        done.set(true);
      }
      sweeper.get(2, TimeUnit.MINUTES);
    }
  }
}
