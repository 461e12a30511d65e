// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.ffi.Segments;
import io.symshuffle.process.ChildProcess;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.FatalErrors;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskFileTest {
  private static final Optional<DiskEncryption> PLAIN = Optional.empty();

  @TempDir Path folder;

  @Test
  void readsBeyondFourGibibytes() throws IOException {
    Path path = DiskFile.path(folder, new MapOutputId(1, 3));
    long far = (5L << 30) - 4;
    try (FileChannel sparse =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      sparse.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), far);
    }
    try (RunReader reader = new RunReader(DiskFile.open(path, PLAIN))) {
      assertArrayEquals(new byte[] {1, 2, 3, 4}, reader.readBlock(far, 4));
      assertThrows(IOException.class, () -> reader.readBlock(far, 5));
      assertThrows(IOException.class, () -> reader.readBlock(0, far));
    }
  }

  @Test
  void writesAndReadsMemoryInPieces() throws IOException {
    Path path = DiskFile.path(folder, new MapOutputId(1, 2));
    byte[] bytes = new byte[1000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 7);
    }
    try (Arena arena = Arena.ofConfined();
        DiskFile written = DiskFile.create(path, PLAIN)) {
      written.append(MemorySegment.ofArray(new byte[] {1, 2, 3}));
      MemorySegment memory = Segments.allocateCopy(arena, MemorySegment.ofArray(bytes));
      assertEquals(3, written.append(memory, 64));
      assertEquals(1003, written.bytes());
      try (DiskFile read = DiskFile.open(path, PLAIN)) {
        MemorySegment back = arena.allocate(1000);
        read.read(3, back, 33);
        assertArrayEquals(bytes, back.toArray(ValueLayout.JAVA_BYTE));
        assertThrows(EOFException.class, () -> read.read(4, back, 33));
      }
    }
  }

  /** Java copies arrays through native memory of the same size, and keeps it for the thread. */
  @Test
  void readsAndWritesLargeArraysWithLittleNativeMemory() {
    ChildProcess.Result result =
        ChildProcess.java(
                // All memory of the Java heap counts from the start.
                List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch"),
                LargeArray.class.getName(),
                List.of(DiskFile.path(folder, new MapOutputId(1, 4)).toString()))
            .run(Duration.ofMinutes(10));

    assertEquals(0, result.status(), result.output());
    Matcher more = Pattern.compile("(-?\\d+) KiB more").matcher(result.output());
    assertTrue(more.find(), result.output());
    assertTrue(Long.parseLong(more.group(1)) < 48 << 10, result.output());
  }

  @Test
  void failsTaskWithRemedyWhenDirectMemoryIsShort() throws IOException {
    Path path = DiskFile.path(folder, new MapOutputId(1, 5));
    Files.write(path, new byte[SmallDirectMemory.BYTES]);
    ChildProcess.Result result =
        ChildProcess.java(
                // Java 25 does not count this memory as direct, but it can be used up there, too.
                List.of(
                    "-Xmx64m",
                    "-XX:NativeMemoryTracking=summary",
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:MallocLimit=other:64k:oom"),
                SmallDirectMemory.class.getName(),
                List.of(path.toString()))
            .run(Duration.ofMinutes(10));

    assertEquals(0, result.status(), result.output());
    assertTrue(
        result
            .output()
            .contains(
                "no native memory for a piece of 131072 bytes to read from disk:"
                    + " raise spark.executor.memoryOverhead"),
        result.output());
  }

  /** Reads a block that is larger than the memory that the JVM has for such reads. */
  static final class SmallDirectMemory {
    static final int BYTES = 128 << 10;

    private SmallDirectMemory() {}

    public static void main(String[] arguments) throws IOException {
      try (RunReader reader = new RunReader(DiskFile.open(Path.of(arguments[0]), PLAIN))) {
        reader.readBlock(0, BYTES);
      } catch (IllegalStateException e) {
        FatalErrors.assertNone(e);
        System.out.println(e.getMessage());
      }
    }
  }

  /** Writes and reads an array of 128 MiB. */
  static final class LargeArray {
    private LargeArray() {}

    public static void main(String[] arguments) throws IOException {
      byte[] block = new byte[128 << 20];
      block[block.length - 1] = 7;
      long before = anonymousKibibytes();
      try (DiskFile written = DiskFile.create(Path.of(arguments[0]), PLAIN)) {
        written.append(MemorySegment.ofArray(block));
        try (RunReader reader = new RunReader(DiskFile.open(Path.of(arguments[0]), PLAIN))) {
          assertArrayEquals(block, reader.readBlock(0, block.length));
        }
      }
      System.out.println(anonymousKibibytes() - before + " KiB more");
    }

    private static long anonymousKibibytes() throws IOException {
      try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
        return lines
            .filter(line -> line.startsWith("RssAnon:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
            .sum();
      }
    }
  }
}
