// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.fuzz.Fuzzing;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Decodes packed tables that are written byte by byte as the format describes them; PackCheck
 * decodes those of the kernels.
 */
@Execution(ExecutionMode.CONCURRENT)
class PackedTablesTest {
  private static final int FRAME = 0;
  private static final int SCALED = 1 << 7;
  private static final int DELTA = 2 << 7;
  private static final int RANKED = 3 << 7;

  @Test
  void decodesAFrame() {
    ByteBuffer payload = buffer(12).putLong(-5).putInt(3 | 1 << 4 | 15 << 8);
    assertArrayEquals(
        longs(-2, -4, 10), decode(24, packed(24, entry(3, FRAME | 4, 0, 3), payload)));
  }

  @Test
  void decodesMultiplesOfAFactor() {
    ByteBuffer payload = buffer(20).putLong(100).putLong(-50).putInt(1 | 3 << 2);
    assertArrayEquals(longs(50, -50), decode(16, packed(16, entry(3, SCALED | 2, 0, 5), payload)));
  }

  @Test
  void decodesDifferences() {
    ByteBuffer payload = buffer(20).putLong(1000).putLong(-1).putInt(1 << 3 | 7 << 6);
    assertArrayEquals(
        buffer(12).putInt(1000).putInt(1000).putInt(1006).array(),
        decode(12, packed(12, entry(2, DELTA | 3, 0, 5), payload)));
  }

  @Test
  void decodesRanksOfHighParts() {
    // High parts 0, 9 and 255, so ranks of 2 bits above low parts of 3 bits.
    ByteBuffer payload = buffer(44).putLong(1000);
    payload.put(8, (byte) 1).put(9, (byte) (1 << 1)).put(39, (byte) (1 << 7));
    payload.putInt(40, 7 | (1 << 3 | 2) << 5 | 2 << 3 << 10 | (3 << 3 | 1) << 15);
    assertArrayEquals(
        // The fourth has a rank that does not exist.
        longs(1007, 1000 + 9 * 8 + 2, 1000 + 255 * 8, 1001),
        decode(32, packed(32, entry(3, RANKED | 5, 0, 11), payload)));
    assertFalse(decodes(32, packed(32, entry(3, RANKED | 5, 0, 5), payload)), "too short");
    // Fewer bits than a rank needs.
    assertArrayEquals(
        longs(1009, 1009, 1009, 1000),
        decode(32, packed(32, entry(3, RANKED | 1, 0, 11), payload)));
    payload = buffer(40).putLong(7);
    assertArrayEquals(
        longs(7, 7), decode(16, packed(16, entry(3, RANKED, 0, 10), payload)), "no high part");
  }

  @Test
  void decodesPairs() {
    ByteBuffer payload = buffer(8 + 4 + 8).putLong(7).putInt(2 << 2).putLong(-1);
    assertArrayEquals(
        longs(7, -1, 9, -1), decode(32, packed(32, entry(4, FRAME | 2, FRAME, 5), payload)));
  }

  @Test
  void decodesIntegersThatStartFourBytesLater() {
    ByteBuffer one = buffer(20).putLong(7).putInt(1 << 2 | 2 << 4).putInt(-2).putInt(5);
    assertArrayEquals(
        buffer(32).putInt(-2).putLong(7).putLong(8).putLong(9).putInt(5).array(),
        decode(32, packed(32, entry(7, FRAME | 2, 511, 5), one)));
    ByteBuffer two = buffer(28).putLong(7).putInt(2 << 2).putLong(-1).putInt(-2).putInt(5);
    assertArrayEquals(
        buffer(32).putInt(-2).putLong(7).putLong(-1).putLong(9).putInt(5).array(),
        decode(32, packed(32, entry(7, FRAME | 2, FRAME, 7), two)));
    assertFalse(decodes(32, packed(32, entry(7, FRAME | 2, FRAME, 5), one)), "no second stream");
    assertFalse(decodes(24, packed(24, entry(7, FRAME | 2, 511, 5), one)), "too short a block");
  }

  @Test
  void decodesSymbolsAndBytes() {
    ByteBuffer payload = buffer(36);
    payload.put('A' / 8, (byte) (1 << 'A' % 8)).put('Z' / 8, (byte) (1 << 'Z' % 8));
    payload.put(32, (byte) 0b1101);
    assertArrayEquals("ZAZZ".getBytes(US_ASCII), decode(4, packed(4, entry(5, 1, 0, 9), payload)));
    payload = buffer(12).putLong(-128).putInt(0x0501);
    assertArrayEquals(
        new byte[] {-127, -123, -128}, decode(3, packed(3, entry(1, FRAME | 8, 0, 3), payload)));
  }

  @Test
  void decodesTextWithRepetitions() {
    ByteBuffer payload = buffer(32 + 8 + 4);
    payload.put('a' / 8, (byte) (1 << 'a' % 8 | 1 << 'b' % 8 | 1 << 'c' % 8));
    // Three literals, then a repetition of 5 from 3 before; one literal.
    payload.putLong(32, 3 | 2 << 4 | 2 << 8 | 1L << 20);
    payload.putInt(40, 1 << 2 | 2 << 4 | 1 << 6);
    int first = 2;
    int second = 2 << 2;
    assertArrayEquals(
        "abcabcabb".getBytes(US_ASCII), decode(9, packed(9, entry(6, first, second, 11), payload)));
    assertArrayEquals(
        "abcabcabb\0".getBytes(US_ASCII),
        decode(10, packed(10, entry(6, first, second, 11), payload)));
    assertArrayEquals(
        "abcab".getBytes(US_ASCII), decode(5, packed(5, entry(6, first, second, 11), payload)));
    // From before the start of the block.
    payload.putLong(32, 1 | 1 << 4 | 4095 << 8 | 1L << 20);
    assertArrayEquals(
        "a\0\0\0\0b".getBytes(US_ASCII),
        decode(6, packed(6, entry(6, first, second, 11), payload)));
    assertFalse(decodes(9, packed(9, entry(6, first, 9 << 2, 11), payload)), "9 bits");
    assertFalse(decodes(9, packed(9, entry(6, 40, second, 11), payload)), "too short");
  }

  @Test
  void decodesCodesOf64BitsAcrossWords() {
    ByteBuffer payload = buffer(8 + 16).putLong(1).putLong(-1).putLong(Long.MIN_VALUE);
    assertArrayEquals(
        longs(0, Long.MIN_VALUE + 1), decode(16, packed(16, entry(3, FRAME | 64, 0, 6), payload)));
    // 63 bits each: the second code is in three words.
    payload = buffer(8 + 16).putLong(0).putLong(1L << 63 | 5).putLong(3L << 60);
    assertArrayEquals(
        longs(5, 1 | 3L << 61), decode(16, packed(16, entry(3, FRAME | 63, 0, 6), payload)));
  }

  @Test
  void decodesAnEmptyTableAndARawOne() {
    assertArrayEquals(new byte[0], decode(0, header(0, 32, 0).array()));
    ByteBuffer payload = buffer(8).put(new byte[] {1, 2, 3, 4, 5});
    assertArrayEquals(new byte[] {1, 2, 3, 4, 5}, decode(5, packed(5, entry(0, 0, 0, 2), payload)));
  }

  @Test
  void refusesWhatIsNotAPackedTableOfThisLength() {
    ByteBuffer payload = buffer(12).putLong(-5).putInt(0);
    byte[] valid = packed(24, entry(3, FRAME | 4, 0, 3), payload);
    assertFalse(decodes(16, valid), "another length");
    for (int field = 0; field < 28; field += 4) {
      byte[] damaged = valid.clone();
      damaged[field]++;
      assertFalse(decodes(24, damaged), "header byte " + field);
    }
    for (long entry :
        List.of(
            entry(7, FRAME | 4, 0, 3),
            entry(7, FRAME | 4, 511, 3),
            entry(3, 3 << 7 | 4, 0, 3),
            entry(3, FRAME | 65, 0, 9),
            entry(3, FRAME | 4, 1, 3),
            entry(3, FRAME | 4, 0, 4),
            entry(3, FRAME | 4, 0, 3) + 1,
            entry(4, FRAME | 4, 0, 3),
            entry(5, 9, 0, 3))) {
      assertFalse(decodes(24, packed(24, entry, payload)), Long.toHexString(entry));
    }
    assertFalse(decodes(24, Arrays.copyOf(valid, valid.length + 16)), "too long");
    assertFalse(decodes(24, Arrays.copyOf(valid, valid.length - 16)), "too short");
  }

  @Test
  void neverReadsBeyondDamagedTables() throws IOException, InterruptedException {
    ByteBuffer payload = buffer(12).putLong(-5).putInt(3 | 1 << 4 | 15 << 8);
    ByteBuffer pairs = buffer(8 + 4 + 16 + 4).putLong(7).putInt(8).putLong(-1).putLong(3).putInt(1);
    Fuzzing.replay(
        PackedTablesTest.class,
        input ->
            PackedTables.decode(MemorySegment.ofArray(input), MemorySegment.ofArray(new byte[32])),
        List.of(
            packed(32, entry(3, FRAME | 4, 0, 3), payload),
            packed(32, entry(4, FRAME | 2, DELTA | 1, 8), pairs),
            packed(32, entry(7, FRAME | 2, FRAME, 7), buffer(28).putLong(7)),
            packed(32, entry(7, FRAME | 2, 511, 5), buffer(20).putLong(7)),
            packed(32, entry(5, 0, 0, 8), buffer(32)),
            packed(32, entry(6, 2, 2 << 2, 11), buffer(44).putLong(32, 0x100233L))),
        20_000);
  }

  private static boolean decodes(int plainBytes, byte[] packed) {
    return PackedTables.decode(
        MemorySegment.ofArray(packed), MemorySegment.ofArray(new byte[plainBytes]));
  }

  private static byte[] decode(int plainBytes, byte[] packed) {
    byte[] plain = new byte[plainBytes];
    assertTrue(PackedTables.decode(MemorySegment.ofArray(packed), MemorySegment.ofArray(plain)));
    return plain;
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] longs(long... values) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Long.BYTES * values.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asLongBuffer().put(values);
    return bytes.array();
  }

  /** An entry whose payload follows a directory of one block. */
  private static long entry(int layout, int first, int second, int words) {
    long code = layout | first << 3 | second << 12 | (long) words << 21;
    return code << 32 | 10;
  }

  private static ByteBuffer header(int plainBytes, int packedBytes, int blocks) {
    return buffer(packedBytes)
        .putInt(0x504d5953)
        .putInt(PackedTables.VERSION)
        .putLong(plainBytes)
        .putLong(packedBytes)
        .putInt(blocks)
        .putInt(0);
  }

  private static byte[] packed(int plainBytes, long entry, ByteBuffer payload) {
    int bytes = (40 + payload.capacity() + 15) / 16 * 16;
    return header(plainBytes, bytes, 1).putLong(entry).put(payload.clear()).array();
  }
}
