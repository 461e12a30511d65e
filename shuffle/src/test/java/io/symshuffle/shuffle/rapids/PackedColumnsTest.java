// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.HashedTable;
import io.symshuffle.kernel.TableColumns;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackedColumnsTest {
  private static final long ADDRESS = 1L << 40;

  private final PackedRows rows = new PackedRows(new Random(3), 100);

  @Test
  void readsAllTypes() {
    PackedRows.TYPES.forEach(rows::add);
    rows.addStrings(true);
    HashedTable hashed = read(rows.metadata()).orElseThrow().getFirst();
    TableColumns table = hashed.table();
    assertEquals(100, table.rows());
    assertEquals(-5, hashed.seed());
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

  private Optional<List<HashedTable>> read(byte[] metadata) {
    return PackedColumns.of(List.of(table(metadata)));
  }

  private SeededTable table(byte[] metadata) {
    DeviceRange data = new DeviceRange(ADDRESS, Math.max(64, rows.data().length));
    return new SeededTable(
        new PackedTable(rows.rows(), data, MemorySegment.ofArray(metadata), () -> {}), -5);
  }
}
