// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static io.symshuffle.kernel.HashedColumn.NONE;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.HashedColumn;
import io.symshuffle.kernel.HashedColumn.Kind;
import io.symshuffle.kernel.HashedTable;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads where a packed table has its columns from cuDF's metadata, for the kernel that hashes rows.
 * The metadata is a header of 16 bytes and an array of entries of 40 bytes, {@code
 * serialized_table_header} and {@code serialized_column} in cuDF 26.08's {@code
 * cpp/src/copying/pack.cpp}, little-endian:
 *
 * <pre>
 *  0          4          8          12         16
 *  +----------+----------+----------+----------+
 *  | version  | columns  | rows     | padding  |
 *  +----------+----------+----------+----------+
 *
 *  0          4          8          12         16         24         32         36         40
 *  +----------+----------+----------+----------+----------+----------+----------+----------+
 *  | type     | scale    | rows     | nulls    | data     | validity | children | padding  |
 *  +----------+----------+----------+----------+----------+----------+----------+----------+
 * </pre>
 *
 * <p>{@code data} and {@code validity} are offsets in the packed data, -1 if there is none. Each
 * column is followed by its children. A column of strings has its characters as data, and one
 * child, the offsets.
 */
final class PackedColumns {
  /** {@code packed_metadata_version}; cuDF 26.06 and earlier had another format. */
  private static final int VERSION = 2;

  private static final int HEADER_BYTES = 16;
  private static final int ENTRY_BYTES = 40;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** The types of cuDF that are read here, {@code ai.rapids.cudf.DType.DTypeEnum} of 26.08. */
  private static final class TypeId {
    static final int INT8 = 1;
    static final int INT16 = 2;
    static final int INT32 = 3;
    static final int INT64 = 4;
    static final int FLOAT32 = 9;
    static final int FLOAT64 = 10;
    static final int BOOL8 = 11;
    static final int TIMESTAMP_DAYS = 12;
    static final int TIMESTAMP_MICROSECONDS = 15;
    static final int STRING = 23;
    static final int DECIMAL32 = 25;
    static final int DECIMAL64 = 26;
    static final int DECIMAL128 = 27;
  }

  private record Entry(int type, int rows, int nulls, long data, long validity, int children) {
    static Entry read(MemorySegment metadata, long at) {
      MemorySegment entry = metadata.asSlice(at, ENTRY_BYTES);
      return new Entry(
          entry.get(INT, 0),
          entry.get(INT, 8),
          entry.get(INT, 12),
          entry.get(LONG, 16),
          entry.get(LONG, 24),
          entry.get(INT, 32));
    }
  }

  private final MemorySegment metadata;
  private final DeviceRange data;
  private final int rows;

  /** Where the next entry starts in the metadata. */
  private long next = HEADER_BYTES;

  private PackedColumns(PackedTable table) {
    this.metadata = table.metadata();
    this.data = table.data();
    this.rows = Math.toIntExact(table.rows());
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
    try {
      PackedColumns packed = new PackedColumns(seeded.table());
      return packed.columns().map(columns -> new HashedTable(seeded.seed(), packed.rows, columns));
    } catch (IndexOutOfBoundsException | IllegalArgumentException | ArithmeticException e) {
      // An entry or a range is outside the metadata or the data, too short or not aligned.
      return Optional.empty();
    }
  }

  private Optional<List<HashedColumn>> columns() {
    int count = metadata.get(INT, 4);
    if (metadata.get(INT, 0) != VERSION || count < 0 || metadata.get(INT, 8) != rows) {
      return Optional.empty();
    }
    List<HashedColumn> columns = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Optional<HashedColumn> column = column(entry());
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

  private Optional<HashedColumn> column(Entry entry) {
    if (entry.rows != rows) {
      return Optional.empty();
    }
    return entry.type == TypeId.STRING ? strings(entry) : values(entry);
  }

  private Optional<HashedColumn> values(Entry entry) {
    return entry.children == 0
        ? kind(entry.type)
            .map(
                kind ->
                    new HashedColumn(
                        kind, slice(entry.data, rows, kind.width()), validity(entry), NONE))
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

  private Optional<HashedColumn> strings(Entry entry) {
    if (entry.children != 1) {
      return Optional.empty();
    }
    Entry offsets = entry();
    Optional<Kind> kind =
        switch (offsets.type) {
          case TypeId.INT32 -> Optional.of(Kind.STRING);
          case TypeId.INT64 -> Optional.of(Kind.LARGE_STRING);
          default -> Optional.empty();
        };
    if (kind.isEmpty() || offsets.rows != rows + 1L || offsets.children != 0) {
      return Optional.empty();
    }
    // The metadata does not have the number of characters. The kernel compares offsets with the end
    // of the data.
    DeviceRange characters =
        entry.data == -1 ? NONE : data.slice(entry.data, data.bytes() - entry.data);
    return Optional.of(
        new HashedColumn(
            kind.get(),
            characters,
            validity(entry),
            slice(offsets.data, offsets.rows, kind.get().width())));
  }

  private DeviceRange validity(Entry entry) {
    return entry.validity == -1 || entry.nulls == 0
        ? NONE
        : slice(entry.validity, (rows + 31L) / 32, Integer.BYTES);
  }

  private DeviceRange slice(long offset, long count, int width) {
    return data.slice(offset, count * width);
  }
}
