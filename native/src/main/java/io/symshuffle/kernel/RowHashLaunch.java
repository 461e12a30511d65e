// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Function;

/**
 * A launch that adds the hashes of the rows of a list of tables. Its tables are the result (16
 * bytes, of which 8 are used), HashedTable[tables] and TableColumn[columns] of layout.h.
 */
public final class RowHashLaunch extends KernelLaunch {
  /** Rows of a unit of work; see layout.h. */
  static final int UNIT_ROWS = 128;

  /** 1024 rows, small enough that the last tiles finish at about the same time. */
  private static final int MAX_TILE_UNITS = 8;

  private static final long RESULT_BYTES = 16;

  private static final long TABLE_BYTES =
      DeviceStruct.layout(KernelStruct.HashedTable.class).byteSize();

  /** In memory of this launch. */
  private MemorySegment copied = MemorySegment.NULL;

  private long sum;

  private RowHashLaunch(
      KernelModule module,
      LaunchShape shape,
      long tableBytes,
      Tables tables,
      Function<Place, Record> argument) {
    super(module, "symshuffle_row_hash", shape, tableBytes, tables, argument);
  }

  static RowHashLaunch of(KernelModule module, List<HashedTable> tables) {
    int columnCount = tables.stream().mapToInt(table -> table.table().columns().size()).sum();
    int unitCount = Math.toIntExact(tables.stream().mapToLong(RowHashLaunch::units).sum());
    int warps = module.ctaThreads() / KernelModule.LANES;
    int ctas = Math.clamp((unitCount + warps - 1L) / warps, 1, 2 * module.multiprocessors());
    int tileUnits = Math.clamp(unitCount / ((long) ctas * warps), 1, MAX_TILE_UNITS);
    long columnsOffset = RESULT_BYTES + TABLE_BYTES * tables.size();
    return new RowHashLaunch(
        module,
        module.ctaShape(ctas),
        columnsOffset + TableColumn.BYTES * columnCount,
        to -> write(tables, module.pe(), to.asSlice(RESULT_BYTES), to.asSlice(columnsOffset)),
        place ->
            new KernelStruct.RowHashArguments(
                place.tables() + RESULT_BYTES,
                place.tables() + columnsOffset,
                place.tables(),
                place.status(),
                tables.size(),
                columnCount,
                unitCount,
                tileUnits,
                module.pe(),
                0));
  }

  private static long units(HashedTable hashed) {
    return (hashed.table().rows() + UNIT_ROWS - 1L) / UNIT_ROWS;
  }

  private static void write(
      List<HashedTable> tables, int pe, MemorySegment toTables, MemorySegment toColumns) {
    int firstUnit = 0;
    int column = 0;
    long at = 0;
    for (HashedTable hashed : tables) {
      TableColumns table = hashed.table();
      toTables.set(JAVA_LONG, at, hashed.seed());
      toTables.set(JAVA_INT, at + 8, table.rows());
      toTables.set(JAVA_INT, at + 12, column);
      toTables.set(JAVA_INT, at + 16, table.columns().size());
      toTables.set(JAVA_INT, at + 20, firstUnit);
      toTables.set(JAVA_INT, at + 24, pe);
      at += TABLE_BYTES;
      firstUnit += (int) units(hashed);
      for (TableColumn each : table.columns()) {
        each.write(toColumns, TableColumn.BYTES * column++);
      }
    }
  }

  @Override
  void zeroResults(CudaStream stream) {
    zeroTables(stream, 0, Long.BYTES);
  }

  @Override
  void copyResults(CudaStream stream) {
    copied = readTables(stream, 0, Long.BYTES);
    super.copyResults(stream);
  }

  @Override
  public void check() {
    super.check();
    sum = copied.get(JAVA_LONG, 0);
  }

  /**
   * Returns the result of the last launch that was waited for with {@link #await} or checked with
   * {@link #check}; also after {@link #close}.
   *
   * @return the sum of the hashes of all rows, modulo 2^64
   */
  public long sum() {
    return sum;
  }
}
