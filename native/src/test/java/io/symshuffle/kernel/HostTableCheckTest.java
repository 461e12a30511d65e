// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HostTableCheckTest {
  private static final int ROWS = 20;
  private static final List<KudoTables.Column> COLUMNS = columns();
  private static final TableSchema SCHEMA = KudoTables.schema(COLUMNS);

  /** Columns of all kinds, with and without nulls. */
  private static List<KudoTables.Column> columns() {
    long[] numbers = new long[ROWS];
    Arrays.setAll(numbers, i -> i * 0x9E3779B97F4A7C15L);
    int[] small = new int[3 * ROWS];
    Arrays.setAll(small, i -> i);
    String[] words = new String[ROWS];
    Arrays.setAll(words, i -> i % 5 == 0 ? null : "x".repeat(i));
    int[] offsets = new int[ROWS + 1];
    Arrays.setAll(offsets, i -> 3 * i);
    int[] inner = new int[3 * ROWS + 1];
    Arrays.setAll(inner, i -> i);
    BitSet nulls = BitSet.valueOf(new long[] {0b1010_0110});
    return List.of(
        KudoTables.longs(numbers).withNulls(nulls),
        KudoTables.bytes(new byte[ROWS]),
        KudoTables.strings(words),
        KudoTables.struct(KudoTables.longs(numbers), KudoTables.strings(words)).withNulls(nulls),
        KudoTables.lists(
                KudoTables.struct(
                        KudoTables.ints(small).withNulls(nulls),
                        KudoTables.lists(KudoTables.ints(small), inner))
                    .withNulls(nulls),
                offsets)
            .withNulls(nulls));
  }

  @Test
  void anyRowsOfATableAreRight() {
    for (int begin = 0; begin < ROWS; begin++) {
      for (int end = begin + 1; end <= ROWS; end++) {
        String rows = begin + " to " + end;
        byte[] table = KudoTables.serialize(COLUMNS, begin, end);
        assertEquals(Optional.empty(), problem(table, end - begin), rows);
      }
    }
  }

  @Test
  void numbersOfTheHeaderAreChecked() {
    byte[] right = KudoTables.serialize(COLUMNS, 3, ROWS);
    // The first row only tells how bits are shifted, which its last three bits do.
    int[] fields = {0, 2, 3, 4, 5, 6};
    for (int field : fields) {
      for (int value : new int[] {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
        assertWrong(with(right, field, value), "field %d is %d".formatted(field, value));
      }
      for (int more : new int[] {-8, -4, -1, 1, 4, 8}) {
        int value = ByteBuffer.wrap(right).getInt(Integer.BYTES * field) + more;
        assertWrong(with(right, field, value), "field %d is %d".formatted(field, value));
      }
    }
    assertWrong(with(right, 1, Integer.MAX_VALUE), "the last first row");
    assertWrong(with(right, 1, -1), "a negative first row");
    assertEquals(
        Optional.of("has an unexpected number of rows or an invalid first row"),
        problem(right, ROWS - 4),
        "other rows");
  }

  @Test
  void tornTablesAreWrong() {
    byte[] right = KudoTables.serialize(COLUMNS, 3, ROWS);
    for (int length = 0; length < right.length; length++) {
      assertWrong(Arrays.copyOf(right, length), length + " bytes");
    }
    assertWrong(Arrays.copyOf(right, right.length + 4), "4 bytes more");
  }

  @Test
  void offsetsMustNotDescendOrBeNegative() {
    byte[] right = KudoTables.serialize(COLUMNS, 3, ROWS);
    ByteBuffer header = ByteBuffer.wrap(right);
    int first = KudoTables.HEADER_BYTES + (SCHEMA.columns().size() + 7) / 8 + header.getInt(12);
    int end = first + header.getInt(16);
    for (int at = first; at < end; at += Integer.BYTES) {
      for (int value : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        byte[] table = right.clone();
        ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
        assertWrong(table, "offset at %d is %d".formatted(at, value));
      }
    }
  }

  @Test
  void validityOfOtherColumnsIsWrong() {
    byte[] right = KudoTables.serialize(COLUMNS, 3, ROWS);
    int columns = SCHEMA.columns().size();
    for (int column = 0; column < columns; column++) {
      byte[] table = right.clone();
      table[KudoTables.HEADER_BYTES + column / 8] ^= (byte) (1 << column % 8);
      assertWrong(table, "column " + column);
    }
  }

  private static byte[] with(byte[] table, int field, int value) {
    return ByteBuffer.wrap(table.clone()).putInt(Integer.BYTES * field, value).array();
  }

  private static void assertWrong(byte[] table, String how) {
    Optional<String> problem = problem(table, ROWS - 3);
    assertTrue(problem.isPresent() && !problem.get().isBlank(), how);
  }

  private static Optional<String> problem(byte[] table, int rows) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(Math.max(1, table.length), 16).asSlice(0, table.length);
      copy.copyFrom(MemorySegment.ofArray(table));
      return HostTableCheck.problem(copy, rows, SCHEMA);
    }
  }
}
