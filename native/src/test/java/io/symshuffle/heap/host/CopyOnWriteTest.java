// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The heap on btrfs, which by default writes a page that is stored to again to new blocks. */
class CopyOnWriteTest {
  private static final long IMAGE_BYTES = 160L << 20;
  private static final long HEAP_BYTES = 24L << 20;
  private static final int PAGE_BYTES = 4096;

  @TempDir Path folder;

  @Test
  void storesAgainIntoReservedMemoryWhenTheFileSystemIsFull() throws Exception {
    Path image = folder.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(IMAGE_BYTES);
    }
    Path mount = Files.createDirectory(folder.resolve("mount"));
    assumeTrue(run("mkfs.btrfs", "-q", image.toString()), "no mkfs.btrfs (Debian: btrfs-progs)");
    assumeTrue(
        run("mount", "-o", "loop", image.toString(), mount.toString()),
        "only root can mount a file system, and only a kernel with btrfs this one");
    try {
      storeTwice(mount);
    } finally {
      assertTrue(run("umount", mount.toString()));
    }
  }

  private static void storeTwice(Path mount) throws IOException {
    HeapFolder heaps = HeapFolder.open(mount, FolderToken.random(), List.of(mount));
    try (HostHeap heap = HostHeap.create(heaps, 0, HEAP_BYTES)) {
      assertTrue(heap.backing().reserve(0, HEAP_BYTES));
      MemorySegment window = heap.local();
      window.fill((byte) 1);
      // Write the pages back, so that storing to them again is a new write for the file system.
      assertTrue(run("sync", "-f", mount.toString()));
      fill(mount.resolve("filler"));
      assertTrue(run("sync", "-f", mount.toString()));
      for (long at = 0; at < HEAP_BYTES; at += PAGE_BYTES) {
        window.set(JAVA_BYTE, at, (byte) 2);
      }
      assertEquals(2, window.get(JAVA_BYTE, HEAP_BYTES - PAGE_BYTES));
    }
  }

  private static void fill(Path file) {
    byte[] bytes = new byte[1 << 16];
    new Random(1).nextBytes(bytes);
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(bytes);
      }
    } catch (IOException full) {
      assertTrue(Files.exists(file));
    }
  }

  private static boolean run(String... command) {
    try {
      return ChildProcess.of(command).run(Duration.ofMinutes(10)).status() == 0;
    } catch (UncheckedIOException e) {
      return false;
    }
  }
}
