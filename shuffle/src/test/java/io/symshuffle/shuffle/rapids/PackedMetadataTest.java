// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackedMetadataTest {
  private static final int ROWS = 100;
  private static final int HEADER = PackedMetadata.HEADER_BYTES;
  private static final int ENTRY = PackedMetadata.ENTRY_BYTES;
  private static final int TYPE = 0;
  private static final int SIZE = 8;
  private static final int NULLS = 12;
  private static final int DATA = 16;
  private static final int VALIDITY = 24;
  private static final int CHILDREN = 32;

  private final PackedRows rows = new PackedRows(new Random(3), ROWS);

  @Test
  void acceptsAllTypesOfExchanges() {
    PackedRows.TYPES.forEach(rows::add);
    rows.addStrings(true);
    rows.addNested();
    rows.addOther(0, 0);
    assertEquals(Optional.empty(), problem(rows.metadata()));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 22, 29, 1000})
  void refusesUnknownTypes(int type) {
    rows.addOther(type, 0);
    assertEquals("a column of the unknown type " + type, problem(rows.metadata()).orElseThrow());
  }

  @Test
  void refusesAnotherShape() {
    rows.add(PackedRows.DECIMAL_128);
    assertRefused("metadata of version 1 instead of 2", bytes -> bytes.putInt(0, 1));
    assertRefused("99 rows instead of 100", bytes -> bytes.putInt(8, 99));
    byte[] metadata = rows.metadata();
    assertEquals(
        Optional.of("1 columns instead of 2"),
        PackedMetadata.problem(MemorySegment.ofArray(metadata), ROWS, 2, data()));
    for (int length = 0; length < metadata.length; length++) {
      assertTrue(problem(Arrays.copyOf(metadata, length)).isPresent(), "length " + length);
    }
    assertEquals(
        Optional.of("57 bytes of metadata of which 56 are used"),
        problem(Arrays.copyOf(metadata, metadata.length + 1)));
  }

  @Test
  void refusesNumbersOutsideTheTable() {
    rows.add(PackedRows.DECIMAL_128);
    int end = rows.data().length;
    assertRefused("a column of 99 rows", bytes -> bytes.putInt(HEADER + SIZE, 99));
    assertRefused("a column of -1 rows", bytes -> bytes.putInt(HEADER + SIZE, -1));
    assertRefused("100 values without data", bytes -> bytes.putLong(HEADER + DATA, -1));
    assertRefused("100 values of 16 bytes at", bytes -> bytes.putLong(HEADER + DATA, end));
    assertRefused("100 values of 16 bytes at -2", bytes -> bytes.putLong(HEADER + DATA, -2));
    assertRefused(
        "100 values of 16 bytes at", bytes -> bytes.putLong(HEADER + DATA, Long.MAX_VALUE - 15));
    assertRefused("values of 16 bytes at 8", bytes -> bytes.putLong(HEADER + DATA, 8));
    assertRefused(
        "a column of numbers with 1 children", bytes -> bytes.putInt(HEADER + CHILDREN, 1));
    assertRefused("-1 nulls in 100 rows", bytes -> bytes.putInt(HEADER + NULLS, -1));
    assertRefused("101 nulls in 100 rows", bytes -> bytes.putInt(HEADER + NULLS, 101));
    assertRefused(
        "1 nulls without validity",
        bytes -> bytes.putInt(HEADER + NULLS, 1).putLong(HEADER + VALIDITY, -1));
    assertRefused("4 values of 4 bytes at", bytes -> bytes.putLong(HEADER + VALIDITY, end - 12));
    assertRefused("values of 4 bytes at 2", bytes -> bytes.putLong(HEADER + VALIDITY, 2));
  }

  @Test
  void refusesStringsOutsideTheTable() {
    rows.addStrings(false);
    int offsets = HEADER + ENTRY;
    int end = rows.data().length;
    assertRefused("0 values of 1 bytes at", bytes -> bytes.putLong(HEADER + DATA, end + 1));
    assertRefused(
        "a column of strings with 0 children", bytes -> bytes.putInt(HEADER + CHILDREN, 0));
    assertRefused("offsets of type 2", bytes -> bytes.putInt(offsets + TYPE, 2));
    assertRefused("100 offsets for 100 rows", bytes -> bytes.putInt(offsets + SIZE, 100));
    assertRefused("101 values without data", bytes -> bytes.putLong(offsets + DATA, -1));
    assertRefused("101 values of 4 bytes", bytes -> bytes.putLong(offsets + DATA, end - 400));
    assertRefused("offsets with children or nulls", bytes -> bytes.putInt(offsets + CHILDREN, 1));
    assertRefused("offsets with children or nulls", bytes -> bytes.putLong(offsets + VALIDITY, 0));
  }

  @Test
  void refusesNestedColumnsOutsideTheTable() {
    rows.addNested();
    int struct = HEADER + 2 * ENTRY;
    int numbers = HEADER + 3 * ENTRY;
    assertRefused("a column of lists with 1 children", bytes -> bytes.putInt(HEADER + CHILDREN, 1));
    assertRefused("a column of lists with data", bytes -> bytes.putLong(HEADER + DATA, 0));
    assertRefused("offsets of type 4", bytes -> bytes.putInt(HEADER + ENTRY + TYPE, 4));
    assertRefused("a column of structs with data", bytes -> bytes.putLong(struct + DATA, 0));
    assertRefused("a column of 200 rows instead of 201", bytes -> bytes.putInt(struct + SIZE, 201));
    assertRefused(
        "a column of 100 rows instead of 200",
        bytes -> bytes.putInt(struct + CHILDREN, Integer.MAX_VALUE));
    assertRefused(
        "a column of structs with -1 children", bytes -> bytes.putInt(struct + CHILDREN, -1));
    assertRefused("200 values without data", bytes -> bytes.putLong(numbers + DATA, -1));
  }

  /** cuDF would use its whole stack, which ends the process. */
  @Test
  void refusesDeepRecursion() {
    int depth = 200;
    ByteBuffer metadata =
        ByteBuffer.allocate(HEADER + depth * ENTRY).order(ByteOrder.LITTLE_ENDIAN);
    metadata.putInt(PackedMetadata.VERSION).putInt(1).putInt(ROWS).putInt(0);
    for (int i = 0; i < depth; i++) {
      metadata.putInt(28).putInt(0).putInt(ROWS).putInt(0).putLong(-1).putLong(-1);
      metadata.putInt(i < depth - 1 ? 1 : 0).putInt(0);
    }
    assertEquals(
        Optional.of("columns that are nested more than 64 times"), problem(metadata.array()));
  }

  private void assertRefused(String expected, Consumer<ByteBuffer> damage) {
    byte[] metadata = rows.metadata();
    assertEquals(Optional.empty(), problem(metadata), "undamaged");
    damage.accept(ByteBuffer.wrap(metadata).order(ByteOrder.LITTLE_ENDIAN));
    String problem = problem(metadata).orElse("nothing");
    assertTrue(problem.startsWith(expected), () -> problem + " instead of " + expected);
  }

  private Optional<String> problem(byte[] metadata) {
    int columns =
        metadata.length < HEADER
            ? 0
            : ByteBuffer.wrap(metadata).order(ByteOrder.LITTLE_ENDIAN).getInt(4);
    return PackedMetadata.problem(MemorySegment.ofArray(metadata), ROWS, columns, data());
  }

  private DeviceRange data() {
    return new DeviceRange(1L << 40, rows.data().length);
  }
}
