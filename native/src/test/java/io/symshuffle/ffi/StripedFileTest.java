// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.SharedMemory;
import io.symshuffle.process.ChildProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three files that are used as one. */
class StripedFileTest {
  private static final int STRIPE = 128 << 10;
  private static final int LAST = 64 << 10;
  private static final int BYTES = 2 * STRIPE + LAST;

  @TempDir(factory = SharedMemory.class)
  Path folder;

  private StripedFile create() {
    List<NativeFile> files = new ArrayList<>();
    for (int number = 0; number < 3; number++) {
      NativeFile file = NativeFile.create(folder.resolve("file" + number));
      file.truncate(number == 2 ? LAST : STRIPE);
      files.add(file);
    }
    return new StripedFile(files, STRIPE);
  }

  /** Reads and writes in random ranges, in three ways, against an array. */
  @Test
  void hasTheSameBytesMappedReadAndWrittenAcrossFiles() {
    Random random = new Random(7);
    byte[] model = new byte[BYTES];
    try (MappedFile mapped = MappedFile.map(create(), BYTES);
        Arena arena = Arena.ofConfined()) {
      assertEquals(BYTES, mapped.file().bytes());
      for (int round = 0; round < 300; round++) {
        int at = random.nextInt(BYTES);
        int bytes = 1 + random.nextInt(BYTES - at);
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        MemorySegment source = Segments.allocateCopy(arena, MemorySegment.ofArray(content));
        switch (round % 3) {
          case 0 -> mapped.memory().asSlice(at, bytes).copyFrom(source);
          case 1 -> mapped.file().write(at, source);
          default -> {
            try (Arena until = Arena.ofConfined()) {
              mapped.mapForWriting(at, bytes, until).copyFrom(source);
            }
          }
        }
        System.arraycopy(content, 0, model, at, bytes);
        assertArrayEquals(model, mapped.memory().toArray(JAVA_BYTE), "round " + round);
        MemorySegment read = arena.allocate(bytes);
        assertEquals(bytes, mapped.file().read(at, read));
        assertArrayEquals(content, read.toArray(JAVA_BYTE), "round " + round);
      }
    }
  }

  @Test
  void reservesAndReleasesMemoryAcrossFiles() {
    try (MappedFile mapped = MappedFile.map(create(), BYTES)) {
      assertTrue(mapped.populate(STRIPE - 65_536, 65_536 + STRIPE + 65_536));
      assertEquals(List.of(65_536L, (long) STRIPE, 65_536L), held());
      mapped.memory().fill((byte) 1);
      mapped.file().punchHole(65_536, BYTES - 65_536);
      assertEquals(List.of(65_536L, 0L, 0L), held());
      assertEquals(0, mapped.memory().get(JAVA_BYTE, STRIPE));
      assertTrue(mapped.file().allocate(STRIPE - 1, 2));
      mapped.dropPages();
      assertEquals(1, mapped.memory().get(JAVA_BYTE, 65_535));
    }
  }

  @Test
  void readsLessWhereAFileEnds() {
    try (StripedFile file = create();
        Arena arena = Arena.ofConfined()) {
      file.files().get(1).truncate(1000);
      assertEquals(STRIPE + 1000 - 10, file.read(10, arena.allocate(BYTES - 10)));
      assertThrows(IllegalStateException.class, () -> MappedFile.map(file, BYTES));
    }
  }

  @Test
  void closesAllFiles() {
    StripedFile file = create();
    MappedFile.map(file, BYTES).close();
    for (NativeFile each : file.files()) {
      assertThrows(IllegalStateException.class, each::status);
    }
    file.close();
  }

  @Test
  void refusesStripesThatCannotBeMappedOneAfterAnother() {
    NativeFile file = NativeFile.create(folder.resolve("file"));
    assertThrows(
        IllegalArgumentException.class, () -> new StripedFile(List.of(file, file), 100_000));
    assertThrows(IllegalArgumentException.class, () -> new StripedFile(List.of(), STRIPE));
    file.close();
  }

  /** The memory of each file, in bytes. */
  private List<Long> held() {
    return List.of("0", "1", "2").stream()
        .map(number -> folder.resolve("file" + number).toString())
        .map(path -> ChildProcess.of("stat", "-c", "%b", path).run(Duration.ofMinutes(10)))
        .map(result -> 512 * Long.parseLong(result.output().strip()))
        .toList();
  }
}
