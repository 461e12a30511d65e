// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.shuffle.fixture.SeededRandom;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SeededRandom.class)
class Crc32cTest {
  @Test
  void computesStandardChecksums() {
    assertEquals(0xE3069283, Crc32c.of(ByteBuffer.wrap("123456789".getBytes(US_ASCII))));
    // RFC 3720, appendix B.4: 32 bytes of zeros, and of ones.
    assertEquals(0x8A9136AA, Crc32c.of(MemorySegment.ofArray(new byte[32]), 0, 32));
    assertEquals(0x62A8AB43, Crc32c.of(MemorySegment.ofArray(new byte[32]).fill((byte) -1), 0, 32));
    assertEquals(0, Crc32c.of(MemorySegment.ofArray(new byte[8]), 4, 0));
  }

  @Test
  void checksumsRangesOfMemoryAndBuffers(Random random) {
    byte[] bytes = new byte[500];
    random.nextBytes(bytes);
    for (int i = 0; i < 200; i++) {
      int start = random.nextInt(bytes.length);
      int length = random.nextInt(bytes.length - start + 1);
      int expected = bitByBit(bytes, start, length);
      assertEquals(expected, Crc32c.of(MemorySegment.ofArray(bytes), start, length));
      ByteBuffer buffer = ByteBuffer.wrap(bytes, start, length);
      assertEquals(expected, Crc32c.of(buffer));
      assertEquals(length, buffer.remaining());
    }
  }

  @Test
  void checksumsMemoryOfSharedArenas(Random random) {
    byte[] bytes = new byte[50_000];
    random.nextBytes(bytes);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
      for (int length : new int[] {0, 1, 8 << 10, (8 << 10) + 1, 30_000}) {
        int start = random.nextInt(bytes.length - length);
        int expected = bitByBit(bytes, start, length);
        assertEquals(expected, Crc32c.of(memory, start, length));
        assertEquals(expected, Crc32c.of(memory.asSlice(start, length).asByteBuffer()));
      }
    }
  }

  private static int bitByBit(byte[] bytes, int start, int length) {
    int crc = -1;
    for (int i = start; i < start + length; i++) {
      crc ^= bytes[i] & 0xFF;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc >>> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
      }
    }
    return ~crc;
  }
}
