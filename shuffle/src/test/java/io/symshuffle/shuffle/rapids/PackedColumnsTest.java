// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.HashedTable;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackedColumnsTest {
  private static final int HEADER = 16;
  private static final int ENTRY = 40;
  private static final int TYPE = 0;
  private static final int SIZE = 8;
  private static final int DATA = 16;
  private static final int VALIDITY = 24;
  private static final int CHILDREN = 32;
  private static final long ADDRESS = 1L << 40;

  private final PackedRows rows = new PackedRows(new Random(3), 100);

  @Test
  void readsAllTypes() {
    PackedRows.TYPES.forEach(rows::add);
    rows.addStrings(true);
    HashedTable table = read(rows.metadata()).orElseThrow().getFirst();
    assertEquals(100, table.rows());
    assertEquals(-5, table.seed());
    assertEquals(
        "BOOL INT8 INT16 INT32 INT64 FLOAT32 FLOAT64 INT32 INT64 INT64 DECIMAL32 INT64 DECIMAL128"
            + " STRING LARGE_STRING",
        String.join(" ", table.columns().stream().map(each -> each.kind().name()).toList()));
  }

  @Test
  void refusesAllTablesIfItCannotReadOne() {
    rows.add(PackedRows.TYPES.getFirst());
    byte[] valid = rows.metadata();
    rows.addOther(28, 0);
    assertTrue(PackedColumns.of(List.of(table(valid), table(valid))).isPresent());
    assertTrue(PackedColumns.of(List.of(table(valid), table(rows.metadata()))).isEmpty());
  }

  /** Among them unsigned numbers, durations, dictionaries, lists, structs and unknown types. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 5, 8, 13, 14, 16, 17, 21, 22, 24, 28, 29, 1000})
  void refusesOtherTypes(int type) {
    rows.addOther(type, 0);
    assertTrue(read(rows.metadata()).isEmpty());
  }

  @Test
  void refusesDamagedNumbers() {
    rows.add(PackedRows.DECIMAL_128);
    assertRefused("another number of rows", bytes -> bytes.putInt(HEADER + SIZE, 99));
    assertRefused("a child", bytes -> bytes.putInt(HEADER + CHILDREN, 1));
    assertRefused("no data", bytes -> bytes.putLong(HEADER + DATA, -1));
    assertRefused("data that ends late", bytes -> bytes.putLong(HEADER + DATA, rows.data().length));
    assertRefused("an overflow", bytes -> bytes.putLong(HEADER + DATA, Long.MAX_VALUE - 15));
    assertRefused("misaligned data", bytes -> bytes.putLong(HEADER + DATA, 8));
    assertRefused("another version", bytes -> bytes.putInt(0, 1));
    assertRefused("another number of rows in all", bytes -> bytes.putInt(8, 99));
    assertRefused("a negative number of columns", bytes -> bytes.putInt(4, -1));
    assertRefused("more columns than entries", bytes -> bytes.putInt(4, 2));
    assertRefused("many columns", bytes -> bytes.putInt(4, Integer.MAX_VALUE));
    assertRefused("fewer columns than entries", bytes -> bytes.putInt(4, 0));
    assertRefused(
        "validity outside the data",
        bytes -> bytes.putInt(HEADER + 12, 1).putLong(HEADER + VALIDITY, rows.data().length - 12));
    assertRefused(
        "misaligned validity", bytes -> bytes.putInt(HEADER + 12, 1).putLong(HEADER + VALIDITY, 2));
  }

  @Test
  void refusesDamagedStrings() {
    rows.addStrings(false);
    int child = HEADER + ENTRY;
    assertRefused("no offsets", bytes -> bytes.putInt(HEADER + CHILDREN, 0));
    assertRefused("two children", bytes -> bytes.putInt(HEADER + CHILDREN, 2));
    assertRefused("offsets of another type", bytes -> bytes.putInt(child + TYPE, 2));
    assertRefused("too few offsets", bytes -> bytes.putInt(child + SIZE, 100));
    assertRefused("offsets with a child", bytes -> bytes.putInt(child + CHILDREN, 1));
    assertRefused("offsets outside the data", bytes -> bytes.putLong(child + DATA, -1));
    assertRefused(
        "characters outside the data",
        bytes -> bytes.putLong(HEADER + DATA, rows.data().length + 1));
  }

  @Test
  void refusesTruncatedMetadata() {
    rows.addStrings(false);
    byte[] metadata = rows.metadata();
    for (int length = 0; length < metadata.length; length++) {
      assertTrue(read(Arrays.copyOf(metadata, length)).isEmpty(), "length " + length);
    }
    assertTrue(read(Arrays.copyOf(metadata, metadata.length + 1)).isEmpty());
  }

  @Test
  void refusesTablesWithMoreRowsThanCudfCanHave() {
    rows.add(PackedRows.DECIMAL_32);
    PackedTable table =
        new PackedTable(
            1L << 31,
            new DeviceRange(ADDRESS, 1L << 40),
            MemorySegment.ofArray(rows.metadata()),
            () -> {});
    assertTrue(PackedColumns.of(List.of(new SeededTable(table, 1))).isEmpty());
  }

  private void assertRefused(String what, Consumer<ByteBuffer> damage) {
    byte[] metadata = rows.metadata();
    assertTrue(read(metadata).isPresent(), "undamaged");
    damage.accept(ByteBuffer.wrap(metadata).order(ByteOrder.LITTLE_ENDIAN));
    assertTrue(read(metadata).isEmpty(), what);
  }

  private Optional<List<HashedTable>> read(byte[] metadata) {
    return PackedColumns.of(List.of(table(metadata)));
  }

  private SeededTable table(byte[] metadata) {
    DeviceRange data = new DeviceRange(ADDRESS, Math.max(64, rows.data().length));
    return new SeededTable(
        new PackedTable(rows.rows(), data, MemorySegment.ofArray(metadata), () -> {}), -5);
  }
}
