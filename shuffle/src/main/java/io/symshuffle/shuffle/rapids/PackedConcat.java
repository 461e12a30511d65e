// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static io.symshuffle.shuffle.rapids.PackedMetadata.ENTRY_BYTES;
import static io.symshuffle.shuffle.rapids.PackedMetadata.HEADER_BYTES;
import static io.symshuffle.shuffle.rapids.PackedMetadata.INT;
import static io.symshuffle.shuffle.rapids.PackedMetadata.LONG;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.kernel.ConcatColumn;
import io.symshuffle.kernel.TableColumn;
import io.symshuffle.kernel.TableColumn.Kind;
import io.symshuffle.kernel.TableColumns;
import io.symshuffle.shuffle.rapids.PackedMetadata.Entry;
import io.symshuffle.shuffle.rapids.PackedMetadata.TypeId;
import io.symshuffle.shuffle.table.TableConcat;
import io.symshuffle.shuffle.table.TablePart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Plans the concatenation of packed tables of cuDF: the result is a packed table, too. First it has
 * the values or characters of each column and, of strings, their offsets; then the validity of all
 * columns that have nulls.
 */
final class PackedConcat {
  /**
   * As cuDF aligns columns of packed tables, {@code split_align} of {@code contiguous_split.cu}.
   */
  private static final long ALIGNMENT = 64;

  private final List<TableColumns> parts = new ArrayList<>();

  /** Upper bounds of the bytes of characters of each column, of all parts together. */
  private final long[] characters;

  /** Nulls of each entry of the metadata, of all parts together. */
  private final long[] nulls;

  private final MemorySegment metadata;
  private List<Kind> kinds = List.of();
  private long rows;
  private long bytes;

  private PackedConcat(TablePart first, Arena arena) {
    MemorySegment description = first.metadata();
    this.metadata =
        DirectMemory.require(
            "a description of %d bytes of a table",
            description.byteSize(),
            () -> arena.allocate(description.byteSize(), Long.BYTES).copyFrom(description));
    this.characters = new long[Math.max(0, metadata.get(INT, PackedMetadata.COLUMNS_OFFSET))];
    this.nulls = new long[(int) ((metadata.byteSize() - HEADER_BYTES) / ENTRY_BYTES)];
  }

  /**
   * Plans a concatenation.
   *
   * @param parts tables whose metadata is known to be right
   * @param arena has the description of the result
   * @return empty if they have columns of other types than {@link PackedColumns} reads, the types
   *     differ, or the result would have more rows or characters than cuDF addresses with ints
   */
  static Optional<TableConcat> of(List<TablePart> parts, Arena arena) {
    PackedConcat concat = new PackedConcat(parts.getFirst(), arena);
    for (TablePart part : parts) {
      if (!concat.add(part)) {
        return Optional.empty();
      }
    }
    return concat.plan();
  }

  private boolean add(TablePart part) {
    MemorySegment description = part.metadata();
    int rowsOfPart = description.get(INT, PackedMetadata.ROWS_OFFSET);
    Optional<TableColumns> table = PackedColumns.of(description, part.data(), rowsOfPart);
    if (table.isEmpty()) {
      return false;
    }
    List<TableColumn> columns = table.get().columns();
    if (columns.size() != characters.length
        || description.byteSize() != metadata.byteSize()
        || !(parts.isEmpty() || kinds.equals(kindsOf(columns)))) {
      return false;
    }
    kinds = kindsOf(columns);
    List<TableColumn> bounded = new ArrayList<>(characters.length);
    long end = part.data().address() + part.data().bytes();
    for (TableColumn column : columns.reversed()) {
      Optional<TableColumn> each = bounded(column, end);
      if (each.isEmpty()) {
        return false;
      }
      bounded.add(each.get());
      characters[characters.length - bounded.size()] += each.get().data().bytes();
      end = Math.min(end, start(column));
    }
    for (int i = 0; i < nulls.length; i++) {
      nulls[i] += Entry.read(description, HEADER_BYTES + (long) ENTRY_BYTES * i).nulls();
    }
    parts.add(new TableColumns(rowsOfPart, bounded.reversed()));
    rows += rowsOfPart;
    return true;
  }

  /** The kinds of columns in a result; it has no large strings. */
  private static List<Kind> kindsOf(List<TableColumn> columns) {
    return columns.stream()
        .map(column -> column.kind().hasOffsets() ? Kind.STRING : column.kind())
        .toList();
  }

  /**
   * The metadata does not have the number of characters; the next column starts after them.
   *
   * @param end where the next column starts
   * @return empty if the columns are in another order
   */
  private static Optional<TableColumn> bounded(TableColumn column, long end) {
    DeviceRange data = column.data();
    if (!column.kind().hasOffsets() || data.bytes() == 0) {
      return Optional.of(column);
    }
    return data.address() > end
        ? Optional.empty()
        : Optional.of(
            new TableColumn(
                column.kind(),
                data.slice(0, end - data.address()),
                column.validity(),
                column.offsets()));
  }

  private static long start(TableColumn column) {
    long start = Long.MAX_VALUE;
    for (DeviceRange range : List.of(column.data(), column.validity(), column.offsets())) {
      start = range.bytes() == 0 ? start : Math.min(start, range.address());
    }
    return start;
  }

  private Optional<TableConcat> plan() {
    if (rows >= Integer.MAX_VALUE) {
      return Optional.empty();
    }
    metadata.set(INT, PackedMetadata.ROWS_OFFSET, (int) rows);
    List<ConcatColumn> columns = new ArrayList<>(characters.length);
    int entry = 0;
    for (int i = 0; i < characters.length; i++) {
      Kind kind = kinds.get(i);
      if (kind != Kind.STRING) {
        long length = rows * kind.width();
        columns.add(new ConcatColumn(kind, take(length), length, ConcatColumn.NONE, -1));
        entry++;
        continue;
      }
      if (characters[i] > Integer.MAX_VALUE) {
        return Optional.empty();
      }
      columns.add(
          new ConcatColumn(
              kind,
              take(characters[i]),
              characters[i],
              ConcatColumn.NONE,
              take((rows + 1) * Integer.BYTES)));
      entry += 2;
    }
    if (entry != nulls.length) {
      return Optional.empty();
    }
    entry = 0;
    for (int i = 0; i < characters.length; i++) {
      columns.set(i, describe(columns.get(i), entry));
      entry += columns.get(i).kind() == Kind.STRING ? 2 : 1;
    }
    return Optional.of(new TableConcat(parts, columns, bytes, metadata));
  }

  /** Adds the validity of a column, if it has nulls, and writes its metadata. */
  private ConcatColumn describe(ConcatColumn column, int entry) {
    boolean strings = column.kind() == Kind.STRING;
    long validity = nulls[entry] == 0 ? ConcatColumn.NONE : take(ConcatColumn.validityBytes(rows));
    write(entry, rows, nulls[entry], column.data(), validity);
    if (strings) {
      long at = write(entry + 1, rows + 1, 0, column.offsets(), ConcatColumn.NONE);
      metadata.set(INT, at, TypeId.INT32);
    }
    return new ConcatColumn(
        column.kind(), column.data(), column.bytes(), validity, column.offsets());
  }

  /** Writes an entry, except its type and number of children; returns its place. */
  private long write(int entry, long size, long nullsOfEntry, long data, long validity) {
    long at = HEADER_BYTES + (long) ENTRY_BYTES * entry;
    metadata.set(INT, at + 8, (int) size);
    metadata.set(INT, at + 12, (int) nullsOfEntry);
    metadata.set(LONG, at + 16, data);
    metadata.set(LONG, at + 24, validity);
    return at;
  }

  private long take(long length) {
    long at = bytes;
    bytes = (at + length + ALIGNMENT - 1) & -ALIGNMENT;
    return at;
  }
}
