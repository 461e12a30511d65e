// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static io.symshuffle.kernel.TableColumn.NONE;
import static io.symshuffle.shuffle.rapids.PackedMetadata.ENTRY_BYTES;
import static io.symshuffle.shuffle.rapids.PackedMetadata.HEADER_BYTES;
import static io.symshuffle.shuffle.rapids.PackedMetadata.INT;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.HashedTable;
import io.symshuffle.kernel.TableColumn;
import io.symshuffle.kernel.TableColumn.Kind;
import io.symshuffle.kernel.TableColumns;
import io.symshuffle.shuffle.rapids.PackedMetadata.Entry;
import io.symshuffle.shuffle.rapids.PackedMetadata.TypeId;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads where a packed table has its columns from cuDF's metadata ({@link PackedMetadata}), for the
 * kernels that hash rows and concatenate tables.
 */
final class PackedColumns {
  private final MemorySegment metadata;
  private final DeviceRange data;
  private final int rows;

  /** Where the next entry starts in the metadata. */
  private long next = HEADER_BYTES;

  private PackedColumns(MemorySegment metadata, DeviceRange data, int rows) {
    this.metadata = metadata;
    this.data = data;
    this.rows = rows;
  }

  /**
   * Describes tables to the kernel.
   *
   * @return empty if one has a column of another type, for example a list or a struct, or metadata
   *     that does not describe its data
   */
  static Optional<List<HashedTable>> of(List<SeededTable> tables) {
    List<HashedTable> hashed = new ArrayList<>(tables.size());
    for (SeededTable each : tables) {
      Optional<HashedTable> table = of(each);
      if (table.isEmpty()) {
        return Optional.empty();
      }
      hashed.add(table.get());
    }
    return Optional.of(hashed);
  }

  private static Optional<HashedTable> of(SeededTable seeded) {
    PackedTable table = seeded.table();
    if (table.rows() > Integer.MAX_VALUE) {
      return Optional.empty();
    }
    int rows = (int) table.rows();
    return of(table.metadata(), table.data(), rows)
        .map(columns -> new HashedTable(seeded.seed(), columns));
  }

  /**
   * Returns the columns of a table.
   *
   * @return empty if one has another type, for example a list or a struct, or the metadata does not
   *     describe the data
   */
  static Optional<TableColumns> of(MemorySegment metadata, DeviceRange data, int rows) {
    try {
      return new PackedColumns(metadata, data, rows)
          .columns()
          .map(columns -> new TableColumns(rows, columns));
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      // An entry or a range is outside the metadata or the data, or not aligned.
      return Optional.empty();
    }
  }

  private Optional<List<TableColumn>> columns() {
    int count = metadata.get(INT, PackedMetadata.COLUMNS_OFFSET);
    if (metadata.get(INT, 0) != PackedMetadata.VERSION
        || count < 0
        || metadata.get(INT, PackedMetadata.ROWS_OFFSET) != rows) {
      return Optional.empty();
    }
    List<TableColumn> columns = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Optional<TableColumn> column = column(entry());
      if (column.isEmpty()) {
        return Optional.empty();
      }
      columns.add(column.get());
    }
    return next == metadata.byteSize() ? Optional.of(columns) : Optional.empty();
  }

  private Entry entry() {
    Entry entry = Entry.read(metadata, next);
    next += ENTRY_BYTES;
    return entry;
  }

  private Optional<TableColumn> column(Entry entry) {
    if (entry.rows() != rows) {
      return Optional.empty();
    }
    return entry.type() == TypeId.STRING ? strings(entry) : values(entry);
  }

  private Optional<TableColumn> values(Entry entry) {
    return entry.children() == 0
        ? kind(entry.type())
            .map(
                kind ->
                    new TableColumn(
                        kind, slice(entry.data(), rows, kind.width()), validity(entry), NONE))
        : Optional.empty();
  }

  private static Optional<Kind> kind(int type) {
    return switch (type) {
      case TypeId.BOOL8 -> Optional.of(Kind.BOOL);
      case TypeId.INT8 -> Optional.of(Kind.INT8);
      case TypeId.INT16 -> Optional.of(Kind.INT16);
      case TypeId.INT32, TypeId.TIMESTAMP_DAYS -> Optional.of(Kind.INT32);
      case TypeId.INT64, TypeId.TIMESTAMP_MICROSECONDS, TypeId.DECIMAL64 -> Optional.of(Kind.INT64);
      case TypeId.FLOAT32 -> Optional.of(Kind.FLOAT32);
      case TypeId.FLOAT64 -> Optional.of(Kind.FLOAT64);
      case TypeId.DECIMAL32 -> Optional.of(Kind.DECIMAL32);
      case TypeId.DECIMAL128 -> Optional.of(Kind.DECIMAL128);
      default -> Optional.empty();
    };
  }

  private Optional<TableColumn> strings(Entry entry) {
    if (entry.children() != 1) {
      return Optional.empty();
    }
    Entry offsets = entry();
    Optional<Kind> kind =
        switch (offsets.type()) {
          case TypeId.INT32 -> Optional.of(Kind.STRING);
          case TypeId.INT64 -> Optional.of(Kind.LARGE_STRING);
          default -> Optional.empty();
        };
    if (kind.isEmpty() || offsets.rows() != rows + 1L || offsets.children() != 0) {
      return Optional.empty();
    }
    // The metadata does not have the number of characters. The kernel compares offsets with the end
    // of the data.
    DeviceRange characters =
        entry.data() == -1 ? NONE : data.slice(entry.data(), data.bytes() - entry.data());
    return Optional.of(
        new TableColumn(
            kind.get(),
            characters,
            validity(entry),
            slice(offsets.data(), offsets.rows(), kind.get().width())));
  }

  private DeviceRange validity(Entry entry) {
    return entry.validity() == -1 || entry.nulls() == 0
        ? NONE
        : slice(entry.validity(), (rows + 31L) / 32, Integer.BYTES);
  }

  private DeviceRange slice(long offset, long count, int width) {
    return data.slice(offset, count * width);
  }
}
