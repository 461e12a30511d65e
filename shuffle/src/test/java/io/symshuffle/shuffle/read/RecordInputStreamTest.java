// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.fixture.InParallel;
import io.symshuffle.shuffle.fixture.SeededRandom;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SeededRandom.class)
class RecordInputStreamTest {
  @Test
  void streamsBytesOfAllRecords(Random random) {
    for (int round = 0; round < 100; round++) {
      ByteArrayOutputStream expected = new ByteArrayOutputStream();
      RecordInputStream stream =
          new RecordInputStream(blocks(random, expected), new InPlaceAccess(null));
      ByteArrayOutputStream found = new ByteArrayOutputStream();
      byte[] buffer = new byte[64];
      while (true) {
        if (random.nextInt(3) == 0) {
          int one = stream.read();
          if (one < 0) {
            break;
          }
          found.write(one);
          continue;
        }
        int length = random.nextInt(40);
        int offset = random.nextInt(buffer.length - length + 1);
        Arrays.fill(buffer, (byte) 0x77);
        int count = stream.read(buffer, offset, length);
        if (count < 0) {
          break;
        }
        assertTrue(count > 0 || length == 0);
        found.write(buffer, offset, count);
        for (int i = 0; i < buffer.length; i++) {
          assertTrue((i >= offset && i < offset + count) || buffer[i] == 0x77);
        }
      }
      assertArrayEquals(expected.toByteArray(), found.toByteArray());
      assertEquals(-1, stream.read());
      assertEquals(-1, stream.read(buffer, 0, 1));
      assertEquals(0, stream.read(buffer, 0, 0));
      assertEquals(0, stream.available());
    }
  }

  @Test
  void copiesRecordsForThreadThatOutlivesTask() throws Exception {
    byte[] first = record(10);
    byte[] second = record(20);
    Arrays.fill(first, 8, 18, (byte) 1);
    Arrays.fill(second, 8, 28, (byte) 2);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment block = arena.allocate(64, 8);
      MemorySegment.copy(first, 0, block, ValueLayout.JAVA_BYTE, 0, 24);
      MemorySegment.copy(second, 0, block, ValueLayout.JAVA_BYTE, 24, 32);
      InPlaceAccess access = new InPlaceAccess(Thread.currentThread());
      RecordInputStream stream =
          new RecordInputStream(new InPlaceCursor(nativeBlocks(block, 56, 2), access), access);
      assertEquals(1, stream.read());
      byte[] found = new byte[29];

      // The rest of the first record, then a part of the second.
      InParallel.onAnotherThread(() -> assertEquals(9, stream.read(found, 0, 29)));
      access.end();
      block.fill((byte) 0xEE);
      InParallel.onAnotherThread(() -> assertEquals(20, stream.read(found, 9, 20)));

      assertArrayEquals(ByteBuffer.allocate(29).put(first, 9, 9).put(second, 8, 20).array(), found);
      assertThrows(
          IllegalStateException.class, () -> InParallel.onAnotherThread(() -> stream.read()));
    }
  }

  /** A cursor that moves to the same native block of partition 1 several times. */
  private static BlockCursor nativeBlocks(MemorySegment block, long bytes, int times) {
    return new BlockCursor() {
      private int left = times;

      @Override
      public boolean advance() {
        object = null;
        position = block.address();
        limit = position + bytes;
        partition = 1;
        return left-- > 0;
      }

      @Override
      public RuntimeException corrupt(String found) {
        throw new IllegalStateException(found);
      }
    };
  }

  @Test
  void rejectsHeadersThatDoNotMatchBlock() {
    for (int length : new int[] {-1, 9, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertRejected(length, 1);
    }
    for (int count : new int[] {0, -1, 2, Integer.MAX_VALUE}) {
      assertRejected(8, count);
    }
  }

  private static void assertRejected(int length, int count) {
    byte[] block = new byte[16];
    ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).putInt(length).putInt(count);
    RecordInputStream stream =
        new RecordInputStream(new FakeCursor("fake").add(5, block), new InPlaceAccess(null));
    assertEquals(
        "fake: %d records of %d bytes in a block of partition 5 with 8 bytes left"
            .formatted(count, length),
        assertThrows(IllegalStateException.class, stream::read).getMessage());
  }

  private static FakeCursor blocks(Random random, ByteArrayOutputStream expected) {
    FakeCursor cursor = new FakeCursor("fake");
    for (int partition = 0; partition < random.nextInt(8); partition++) {
      ByteArrayOutputStream block = new ByteArrayOutputStream();
      for (int group = random.nextInt(6); group >= 0; group--) {
        int length = random.nextInt(3) == 0 ? 0 : random.nextInt(60);
        int count = 1 + random.nextInt(4);
        block.writeBytes(header(length, count));
        for (int i = 0; i < count; i++) {
          byte[] bytes = new byte[length];
          random.nextBytes(bytes);
          block.writeBytes(Arrays.copyOf(bytes, (length + 7) / 8 * 8));
          expected.writeBytes(bytes);
        }
      }
      cursor.add(partition, block.toByteArray());
    }
    return cursor;
  }

  /** A group of one record, of zeros. */
  private static byte[] record(int length) {
    return Arrays.copyOf(header(length, 1), 8 + (length + 7) / 8 * 8);
  }

  private static byte[] header(int length, int count) {
    return ByteBuffer.allocate(8)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(length)
        .putInt(count)
        .array();
  }
}
