// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.SmallDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The system writes a part of what it is asked to: any number of bytes before a disk is full or a
 * file reaches its maximum size. All that was appended before can be read and moved.
 */
class FullDiskTest {
  private static final int PAGE = 4096;

  /** Less than a page, so that every write may be cut at any byte of the last one. */
  private static final int RUN = 4000;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void appendsAllOrFailsAtEachByteOfTheLastPage(boolean encrypted) throws IOException {
    try (SmallDisk disk = SmallDisk.mount(folder.resolve("small"), 3 * PAGE)) {
      for (int before = 2 * PAGE; before <= 3 * PAGE; before++) {
        fill(disk.folder(), folder, encrypted, before, 3 * PAGE);
      }
    }
  }

  @Test
  void appendsAllOrFailsAtTheMaximumSizeOfAFile() {
    ChildProcess.Result result =
        ChildProcess.java(
                List.of("-Xmx64m"), MaximumSize.class.getName(), List.of(folder.toString()))
            .run(Duration.ofMinutes(10));
    assertEquals(0, result.status(), result.output());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void continuesAfterShortWrites(boolean encrypted) throws IOException {
    byte[] all = random(1, 200_000);
    Path path = folder.resolve("short.runs");
    try (ShortWrites channel =
        new ShortWrites(
            path,
            Set.of(
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE))) {
      DiskFile file = DiskFile.create(path, channel, encryption(encrypted));
      file.append(MemorySegment.ofArray(all));
      assertEquals(all.length, file.bytes());
      assertEquals(all.length + (encrypted ? DiskEncryption.IV_BYTES : 0), Files.size(path));
      byte[] back = new byte[all.length];
      file.read(0, MemorySegment.ofArray(back));
      assertArrayEquals(all, back);
      file.close();
    }
  }

  /** Appends to a file until it has its maximum size, and moves it. */
  private static void fill(Path full, Path target, boolean encrypted, int before, long limit)
      throws IOException {
    Path path = DiskFile.path(full, new MapOutputId(1, before));
    byte[] first = random(before, before);
    byte[] run = random(-before, RUN);
    try (DiskFile file = DiskFile.create(path, encryption(encrypted))) {
      long space = limit - (encrypted ? DiskEncryption.IV_BYTES : 0);
      if (before > space) {
        assertThrows(IOException.class, () -> file.append(MemorySegment.ofArray(first)));
        assertEquals(0, file.bytes());
        return;
      }
      file.append(MemorySegment.ofArray(first));
      boolean fits = before + RUN <= space;
      if (fits) {
        file.append(MemorySegment.ofArray(run));
      }
      assertThrows(IOException.class, () -> file.append(MemorySegment.ofArray(run)));
      byte[] expected = Arrays.copyOf(first, before + (fits ? RUN : 0));
      System.arraycopy(run, 0, expected, before, expected.length - before);
      assertEquals(expected.length, file.bytes());
      Path moved = DiskFile.path(target, new MapOutputId(2, before));
      try (DiskFile copy = file.moveTo(moved)) {
        byte[] back = new byte[expected.length];
        copy.read(0, MemorySegment.ofArray(back));
        assertArrayEquals(expected, back);
      } finally {
        DiskFile.delete(moved);
      }
    } finally {
      DiskFile.delete(path);
    }
  }

  private static byte[] random(long seed, int bytes) {
    byte[] result = new byte[bytes];
    new Random(seed).nextBytes(result);
    return result;
  }

  private static Optional<DiskEncryption> encryption(boolean encrypted) {
    return encrypted ? Optional.of(new DiskEncryption(new byte[16])) : Optional.empty();
  }

  /** A process whose files have a maximum size. */
  static final class MaximumSize {
    private MaximumSize() {}

    public static void main(String[] arguments) throws IOException {
      long limit = 2 * PAGE + 1000;
      ChildProcess.Result prlimit =
          ChildProcess.of(
                  "prlimit",
                  "--pid",
                  Long.toString(ProcessHandle.current().pid()),
                  "--fsize=" + limit)
              .run(Duration.ofMinutes(10));
      assertTrue(prlimit.status() == 0, prlimit.output());
      Path folder = Path.of(arguments[0]);
      for (boolean encrypted : new boolean[] {false, true}) {
        for (int before = PAGE; before <= limit; before += 7) {
          fill(folder, folder, encrypted, before, limit);
        }
      }
    }
  }
}
