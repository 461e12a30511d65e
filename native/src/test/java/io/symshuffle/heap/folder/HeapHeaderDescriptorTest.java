// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.ffi.Segments;
import io.symshuffle.heap.HeapException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class HeapHeaderDescriptorTest {
  private static final FolderToken TOKEN = new FolderToken("00112233445566778899aabbccddeeff");
  private static final HeapHeader HEADER =
      new HeapHeader(
          3,
          1L << 30,
          4711,
          0x1234_5678_9abc_def0L,
          TOKEN,
          512L << 20,
          List.of(Path.of("/data/local"), Path.of("/data/2")));

  private static MemorySegment page() {
    return MemorySegment.ofArray(new long[HeapHeaderDescriptor.PAGE_BYTES / Long.BYTES]);
  }

  private static MemorySegment written() {
    MemorySegment page = page();
    HeapHeaderDescriptor.writeRelease(page, HEADER);
    return page;
  }

  @Test
  void readsWhatItWrote() {
    assertEquals(HEADER, HeapHeaderDescriptor.read(written()));
  }

  /** Other processes depend on these numbers: increment the version when they change. */
  @Test
  void layoutIsPinned() {
    MemorySegment page = written();
    byte[] diskBases = "/data/local\0/data/2".getBytes(StandardCharsets.UTF_8);

    assertEquals("SYMHEAP", Segments.getString(page, 0));
    assertEquals(4, page.get(JAVA_INT, 8));
    assertEquals(3, page.get(JAVA_INT, 16));
    assertEquals(diskBases.length, page.get(JAVA_INT, 20));
    assertEquals(1L << 30, page.get(JAVA_LONG, 24));
    assertEquals(4711, page.get(JAVA_LONG, 32));
    assertEquals(0x1234_5678_9abc_def0L, page.get(JAVA_LONG, 40));
    assertEquals(0x11, page.get(JAVA_BYTE, 49));
    assertEquals(512L << 20, page.get(JAVA_LONG, 64));
    assertEquals("/data/local", Segments.getString(page, 72));
    CRC32C crc = new CRC32C();
    crc.update(page.asSlice(16, 4080).toArray(JAVA_BYTE));
    assertEquals((int) crc.getValue(), page.get(JAVA_INT, 12));
    assertEquals(2 << 20, HeapHeaderDescriptor.WINDOW_OFFSET);
  }

  @Test
  void noticesEveryFlippedBit() {
    for (int bit = 0; bit < 8 * HeapHeaderDescriptor.PAGE_BYTES; bit++) {
      MemorySegment page = written();
      byte old = page.get(JAVA_BYTE, bit / 8);
      page.set(JAVA_BYTE, bit / 8, (byte) (old ^ 1 << bit % 8));

      HeapException e =
          assertThrows(HeapException.class, () -> HeapHeaderDescriptor.read(page), "bit " + bit);
      assertTrue(e.getMessage().startsWith("its "), e.getMessage());
    }
  }

  /** A faulty or malicious writer can write a correct CRC. */
  @Test
  void survivesAnyFieldWithACorrectCrc() {
    Random random = new Random(11);
    for (int round = 0; round < 20_000; round++) {
      MemorySegment page = written();
      int offset = 16 + random.nextInt(HeapHeaderDescriptor.PAGE_BYTES - 16 - 8);
      for (int i = 0; i < 1 + random.nextInt(8); i++) {
        byte value = random.nextInt(4) == 0 ? 0 : (byte) random.nextInt();
        page.set(JAVA_BYTE, (random.nextBoolean() ? 16 + random.nextInt(60) : offset) + i, value);
      }
      seal(page);
      try {
        HeapHeader header = HeapHeaderDescriptor.read(page);
        assertTrue(header.pe() >= 0 && header.windowBytes() > 0, header::toString);
        assertTrue(header.files() >= 1 && header.files() <= HeapHeader.MAX_FILES);
        assertTrue(header.diskBases().getFirst().isAbsolute(), header::toString);
      } catch (HeapException e) {
        assertTrue(e.getMessage().contains("its "), e.getMessage());
      }
    }
  }

  @Test
  void dividesAWindowIntoFilesOfWholeChunks() {
    long mib = 1L << 20;
    for (int files = 1; files <= HeapHeader.MAX_FILES; files++) {
      for (long window : new long[] {65_536, 5 * mib, 64 * mib, (100L << 30) + 65_536}) {
        HeapHeader header = with(window, HeapHeader.stripeBytes(window, files));
        assertTrue(header.files() <= files, header::toString);
        assertTrue(window < 128 * mib || header.files() == files, header::toString);
        MemorySegment page = page();
        HeapHeaderDescriptor.writeRelease(page, header);
        assertEquals(header, HeapHeaderDescriptor.read(page));
      }
    }
    for (long stripe : new long[] {-1, 0, mib, 3 * mib + 1, 2 * mib}) {
      assertThrows(IllegalArgumentException.class, () -> with(1L << 30, stripe));
    }
  }

  private static HeapHeader with(long windowBytes, long stripeBytes) {
    return new HeapHeader(1, windowBytes, 1, 2, TOKEN, stripeBytes, HEADER.diskBases());
  }

  private static void seal(MemorySegment page) {
    CRC32C crc = new CRC32C();
    crc.update(page.asSlice(16, HeapHeaderDescriptor.PAGE_BYTES - 16).toArray(JAVA_BYTE));
    page.set(JAVA_INT, HeapHeaderDescriptor.CRC_OFFSET, (int) crc.getValue());
  }
}
