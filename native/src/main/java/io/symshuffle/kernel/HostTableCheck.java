// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.kernel.TableSchema.Column;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Checks a serialized table on the host as the kernel of {@link Kernels#checkTables} does, for
 * processes without memory for its launch.
 */
public final class HostTableCheck {
  private static final int MAGIC = 0x4b554430; // "KUD0"
  private static final int HEADER_BYTES = 28;

  /** Rows whose validity RAPIDS copies at a time; see check_tables.cu. */
  private static final long ASSEMBLED_ROWS = 1 << 23;

  /** Sections end at a multiple of this. */
  private static final int ALIGNMENT = 4;

  private static final ValueLayout.OfInt BIG =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt OFFSET =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment table;
  private final TableSchema schema;
  private int column;
  private long nextOffset;
  private long offsetsEnd;
  private long validityBytes;
  private long dataBytes;

  private HostTableCheck(MemorySegment table, TableSchema schema) {
    this.table = table;
    this.schema = schema;
  }

  /**
   * Says why the engine should not get a table.
   *
   * @param table all its bytes
   * @param rows number of rows that it should have, at least 1
   * @param schema the columns that it should have
   * @return what is wrong, to be read after the table's name, without a period; empty if the engine
   *     can assemble it
   */
  public static Optional<String> problem(MemorySegment table, long rows, TableSchema schema) {
    try {
      new HostTableCheck(table, schema).check(rows);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(e.getMessage());
    }
  }

  private void check(long rows) {
    int columns = schema.columns().size();
    long start = HEADER_BYTES + (columns + 7L) / 8;
    require(table.byteSize() >= start, TableProblem.SHORT);
    require(field(0) == MAGIC, TableProblem.MAGIC);
    require(field(2) == rows, TableProblem.ROWS);
    require(field(6) == columns, TableProblem.COLUMNS);
    long validity = field(3);
    long offsets = field(4);
    long total = field(5);
    require(
        validity + offsets <= total && start + total == table.byteSize(), TableProblem.SECTIONS);
    nextOffset = start + validity;
    offsetsEnd = nextOffset + offsets;
    require(nextOffset % ALIGNMENT == 0, TableProblem.SECTIONS);
    long firstRow = field(1);
    require(firstRow + rows <= Integer.MAX_VALUE, TableProblem.ROWS);
    while (column < columns) {
      checkColumn(rows, firstRow);
    }
    require(isPadded(validityBytes, validity), TableProblem.VALIDITY_BYTES);
    require(nextOffset == offsetsEnd, TableProblem.OFFSET_BYTES);
    require(isPadded(dataBytes, total - validity - offsets), TableProblem.DATA_BYTES);
  }

  /** Checks the next column, and its children. */
  private void checkColumn(long rows, long firstRow) {
    Column each = schema.columns().get(column);
    boolean hasValidity =
        (table.get(ValueLayout.JAVA_BYTE, HEADER_BYTES + column / 8) >> column % 8 & 1) != 0;
    if (hasValidity && rows > 0) {
      long bits = rows + firstRow % 8;
      require((bits - 1) / ASSEMBLED_ROWS * ASSEMBLED_ROWS <= rows, TableProblem.BATCH);
      validityBytes += (bits + 7) / 8;
    }
    column++;
    switch (each.kind()) {
      case FIXED -> dataBytes += rows * each.width();
      case STRING -> dataBytes += offsets(rows).length();
      case LIST -> {
        Span elements = rows == 0 ? new Span(firstRow, 0) : offsets(rows);
        checkColumn(elements.length(), elements.first());
      }
      case STRUCT -> {
        for (int i = 0; i < each.children(); i++) {
          checkColumn(rows, firstRow);
        }
      }
    }
  }

  private record Span(long first, long length) {}

  /** Checks the next offsets; returns what they span. */
  private Span offsets(long rows) {
    if (rows == 0) {
      return new Span(0, 0);
    }
    require((offsetsEnd - nextOffset) / Integer.BYTES > rows, TableProblem.OFFSET_BYTES);
    int first = table.get(OFFSET, nextOffset);
    int last = first;
    require(first >= 0, TableProblem.OFFSETS);
    for (long row = 1; row <= rows; row++) {
      int next = table.get(OFFSET, nextOffset + row * Integer.BYTES);
      require(next >= last, TableProblem.OFFSETS);
      last = next;
    }
    nextOffset += (rows + 1) * Integer.BYTES;
    return new Span(first, last - first);
  }

  private static boolean isPadded(long bytes, long found) {
    return found >= bytes && found - bytes < ALIGNMENT;
  }

  private long field(int number) {
    return Integer.toUnsignedLong(table.get(BIG, (long) number * Integer.BYTES));
  }

  private static void require(boolean condition, TableProblem problem) {
    if (!condition) {
      throw new IllegalArgumentException(problem.text());
    }
  }
}
