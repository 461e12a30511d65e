// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFileTest {
  private static final long BYTES = 4 << 20;

  // The kernel may evict some pages, and map others that are near one in use.
  private static final long MOST_KIB = BYTES * 3 / 4 / 1024;
  private static final long FEW_KIB = BYTES / 4 / 1024;

  @TempDir Path folder;

  private MappedFile map(long bytes) {
    NativeFile file = NativeFile.create(folder.resolve("file"));
    file.truncate(BYTES);
    return MappedFile.map(single(file), bytes);
  }

  private static StripedFile single(NativeFile file) {
    return new StripedFile(List.of(file), BYTES);
  }

  private long blocksOf512() {
    return Long.parseLong(
        run("stat", "-c", "%b", folder.resolve("file").toString()).output().strip());
  }

  private static ChildProcess.Result run(String... command) {
    return ChildProcess.of(command).run(Duration.ofMinutes(10));
  }

  @Test
  void populateKeepsContent() throws IOException {
    try (MappedFile mapped = map(BYTES)) {
      mapped.memory().set(JAVA_LONG, 8, 42);
      assertTrue(mapped.populate(100, 1 << 20));
      assertEquals(42, mapped.memory().get(JAVA_LONG, 8));
      assertTrue(mapped.populate(BYTES - 1, 1));
      mapped.file().punchHole(0, BYTES);
      assertEquals(0, mapped.memory().get(JAVA_LONG, 8));
      assertThrows(IndexOutOfBoundsException.class, () -> mapped.populate(BYTES, 1));
    }
  }

  @Test
  void releasesMemoryWhenAHoleIsPunched() {
    try (MappedFile mapped = map(BYTES)) {
      assertTrue(mapped.populate(0, BYTES));
      mapped.memory().fill((byte) 1);
      mapped.file().punchHole(0, BYTES / 2);
      mapped.file().punchHole(BYTES / 2, BYTES / 2);
      assertTrue(blocksOf512() < 100, blocksOf512() + " blocks");
    }
  }

  @Test
  void droppedPagesKeepTheirContent() throws IOException {
    try (MappedFile mapped = map(BYTES)) {
      mapped.memory().fill((byte) 7);
      assertTrue(residentKib() > MOST_KIB, "before");

      mapped.dropPages();

      assertTrue(residentKib() < FEW_KIB, "afterwards");
      for (long at = 0; at < BYTES; at++) {
        assertEquals(7, mapped.memory().get(JAVA_BYTE, at));
      }
      assertTrue(residentKib() > MOST_KIB, "read again");
    }
  }

  /** How much of the file is in this process's resident set, in KiB. */
  private long residentKib() throws IOException {
    boolean ofFile = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (line.endsWith(folder.resolve("file").toString())) {
        ofFile = true;
      } else if (ofFile && line.startsWith("Rss:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new AssertionError("the file is not mapped");
  }

  /** Spark's rows are raw addresses, and a task may still hold one when the heap closes. */
  @Test
  @SuppressWarnings("restricted")
  void rawAddressesReadZerosAfterClose() {
    MappedFile mapped = map(BYTES);
    mapped.memory().fill((byte) 9);
    MemorySegment raw = MemorySegment.ofAddress(mapped.memory().address()).reinterpret(BYTES);
    assertEquals(9, raw.get(JAVA_BYTE, BYTES - 1));

    mapped.close();

    assertEquals(0, raw.get(JAVA_BYTE, BYTES - 1));
    raw.set(JAVA_BYTE, 0, (byte) 1);
    mapped.dropPages();
    assertEquals(1, raw.get(JAVA_BYTE, 0));
  }

  @Test
  void refusesToMapMoreThanTheFile() {
    NativeFile file = NativeFile.create(folder.resolve("file"));
    file.truncate(BYTES);

    assertThrows(IllegalArgumentException.class, () -> MappedFile.map(single(file), BYTES + 1));
    assertThrows(IllegalStateException.class, file::status, "the file is closed on failure");
  }

  @Test
  void reportsMissingSpaceInsteadOfCrashing() throws Exception {
    Path small = folder.resolve("small");
    Files.createDirectory(small);
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small.toString()).status() == 0,
        "only root can mount a small tmpfs");
    try {
      NativeFile file = NativeFile.create(small.resolve("file"));
      file.truncate(BYTES);
      try (MappedFile mapped = MappedFile.map(single(file), BYTES)) {
        assertTrue(mapped.populate(0, 1 << 19));
        assertFalse(mapped.populate(0, BYTES));
        assertFalse(file.allocate(0, BYTES));
        file.punchHole(0, BYTES);
        assertTrue(mapped.populate(BYTES - (1 << 19), 1 << 19));
      }
    } finally {
      assertEquals(0, run("umount", small.toString()).status());
    }
  }
}
