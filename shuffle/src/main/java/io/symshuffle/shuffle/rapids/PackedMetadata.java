// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import com.google.errorprone.annotations.FormatMethod;
import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Checks cuDF's metadata of a packed table, which says where the table has its columns. cuDF trusts
 * it. It is a header of 16 bytes and an array of entries of 40 bytes, {@code
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
 * child, the offsets. A list has no data, and its offsets and its elements as children.
 *
 * <p>The offsets of strings and lists are data, which is not read here.
 */
final class PackedMetadata {
  /** {@code packed_metadata_version}; cuDF 26.06 and earlier had another format. */
  static final int VERSION = 2;

  static final int HEADER_BYTES = 16;
  static final int ENTRY_BYTES = 40;

  static final int COLUMNS_OFFSET = 4;
  static final int ROWS_OFFSET = 8;

  /** Levels of lists and structs; cuDF reads them with recursive functions. */
  static final int MAX_DEPTH = 64;

  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int ANY = -1;
  private static final int NONE = -1;

  private final MemorySegment metadata;
  private final DeviceRange data;

  /** Where the next entry starts in the metadata. */
  private long next = HEADER_BYTES;

  /** Types of cuDF, {@code cudf::type_id} of 26.08. */
  static final class TypeId {
    static final int EMPTY = 0;
    static final int INT8 = 1;
    static final int INT16 = 2;
    static final int INT32 = 3;
    static final int INT64 = 4;
    static final int UINT8 = 5;
    static final int UINT16 = 6;
    static final int UINT32 = 7;
    static final int UINT64 = 8;
    static final int FLOAT32 = 9;
    static final int FLOAT64 = 10;
    static final int BOOL8 = 11;
    static final int TIMESTAMP_DAYS = 12;
    static final int TIMESTAMP_SECONDS = 13;
    static final int TIMESTAMP_MICROSECONDS = 15;
    static final int TIMESTAMP_NANOSECONDS = 16;
    static final int DURATION_DAYS = 17;
    static final int DURATION_SECONDS = 18;
    static final int DURATION_NANOSECONDS = 21;
    static final int STRING = 23;
    static final int LIST = 24;
    static final int DECIMAL32 = 25;
    static final int DECIMAL64 = 26;
    static final int DECIMAL128 = 27;
    static final int STRUCT = 28;

    private TypeId() {}

    /** Bytes of a value; 0 for types that are not of a fixed width, and unknown ones. */
    static int width(int type) {
      if ((type >= TIMESTAMP_SECONDS && type <= TIMESTAMP_NANOSECONDS)
          || (type >= DURATION_SECONDS && type <= DURATION_NANOSECONDS)) {
        return Long.BYTES;
      }
      return switch (type) {
        case INT8, UINT8, BOOL8 -> 1;
        case INT16, UINT16 -> 2;
        case INT32, UINT32, FLOAT32, TIMESTAMP_DAYS, DURATION_DAYS, DECIMAL32 -> 4;
        case INT64, UINT64, FLOAT64, DECIMAL64 -> 8;
        case DECIMAL128 -> 16;
        default -> 0;
      };
    }
  }

  record Entry(int type, int rows, int nulls, long data, long validity, int children) {
    /**
     * Reads an entry.
     *
     * @throws IndexOutOfBoundsException if it is not inside the metadata
     */
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

  private PackedMetadata(MemorySegment metadata, DeviceRange data) {
    this.metadata = metadata;
    this.data = data;
  }

  /**
   * Says why cuDF should not get this metadata.
   *
   * @param rows number of rows that the table should have
   * @param columns number of columns that it should have
   * @return a sentence without a period; empty if all columns are inside the table
   */
  static Optional<String> problem(
      MemorySegment metadata, long rows, int columns, DeviceRange data) {
    try {
      new PackedMetadata(metadata, data).check(rows, columns);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(e.getMessage());
    }
  }

  private void check(long rows, int columns) {
    require(metadata.byteSize() >= HEADER_BYTES, "%d bytes of metadata", metadata.byteSize());
    int version = metadata.get(INT, 0);
    require(version == VERSION, "metadata of version %d instead of %d", version, VERSION);
    int foundColumns = metadata.get(INT, COLUMNS_OFFSET);
    require(foundColumns == columns, "%d columns instead of %d", foundColumns, columns);
    int foundRows = metadata.get(INT, ROWS_OFFSET);
    require(foundRows == rows, "%d rows instead of %d", foundRows, rows);
    for (int i = 0; i < columns; i++) {
      checkColumn(foundRows, 0);
    }
    require(
        next == metadata.byteSize(),
        "%d bytes of metadata of which %d are used",
        metadata.byteSize(),
        next);
  }

  /** Checks the next column, and its children. */
  private void checkColumn(int rows, int depth) {
    require(depth < MAX_DEPTH, "columns that are nested more than %d times", MAX_DEPTH);
    Entry entry = entry();
    require(
        entry.rows >= 0 && (rows == ANY || entry.rows == rows),
        "a column of %d rows instead of %d",
        entry.rows,
        rows);
    checkValidity(entry);
    switch (entry.type) {
      case TypeId.STRING -> {
        require(
            entry.children == 1 || (entry.children == 0 && entry.rows == 0),
            "a column of strings with %d children",
            entry.children);
        checkInside(entry.data, 0, 1);
        if (entry.children == 1) {
          checkOffsets(entry.rows, true);
        }
      }
      case TypeId.LIST -> {
        require(entry.children == 2, "a column of lists with %d children", entry.children);
        require(entry.data == NONE, "a column of lists with data");
        checkOffsets(entry.rows, false);
        checkColumn(ANY, depth + 1);
      }
      case TypeId.STRUCT -> {
        require(entry.children >= 0, "a column of structs with %d children", entry.children);
        require(entry.data == NONE, "a column of structs with data");
        for (int i = 0; i < entry.children; i++) {
          checkColumn(entry.rows, depth + 1);
        }
      }
      case TypeId.EMPTY ->
          require(
              entry.children == 0 && entry.data == NONE && entry.validity == NONE,
              "an empty column with data");
      default -> {
        int width = TypeId.width(entry.type);
        require(width > 0, "a column of the unknown type %d", entry.type);
        require(entry.children == 0, "a column of numbers with %d children", entry.children);
        checkInside(entry.data, entry.rows, width);
      }
    }
  }

  private void checkOffsets(int rows, boolean large) {
    Entry offsets = entry();
    require(
        offsets.type == TypeId.INT32 || (large && offsets.type == TypeId.INT64),
        "offsets of type %d",
        offsets.type);
    require(
        offsets.rows == rows + 1L || (offsets.rows == 0 && rows == 0),
        "%d offsets for %d rows",
        offsets.rows,
        rows);
    require(
        offsets.children == 0 && offsets.nulls == 0 && offsets.validity == NONE,
        "offsets with children or nulls");
    checkInside(offsets.data, offsets.rows, TypeId.width(offsets.type));
  }

  private void checkValidity(Entry entry) {
    if (entry.type == TypeId.EMPTY) {
      return;
    }
    require(
        entry.nulls >= 0 && entry.nulls <= entry.rows,
        "%d nulls in %d rows",
        entry.nulls,
        entry.rows);
    require(entry.nulls == 0 || entry.validity != NONE, "%d nulls without validity", entry.nulls);
    if (entry.validity != NONE) {
      checkInside(entry.validity, (entry.rows + 31L) / 32, Integer.BYTES);
    }
  }

  /** Checks that values are inside the data, and aligned. */
  private void checkInside(long offset, long count, int width) {
    if (offset == NONE) {
      require(count == 0, "%d values without data", count);
      return;
    }
    require(
        offset >= 0 && offset <= data.bytes() - count * width,
        "%d values of %d bytes at %d of a table of %d bytes",
        count,
        width,
        offset,
        data.bytes());
    require(
        count == 0 || (data.address() + offset) % width == 0,
        "values of %d bytes at %d, which is not aligned",
        width,
        offset);
  }

  private Entry entry() {
    require(
        next + ENTRY_BYTES <= metadata.byteSize(),
        "%d bytes of metadata, which end in a column",
        metadata.byteSize());
    Entry entry = Entry.read(metadata, next);
    next += ENTRY_BYTES;
    return entry;
  }

  @FormatMethod
  private static void require(boolean condition, String problem, Object... values) {
    if (!condition) {
      throw new IllegalArgumentException(problem.formatted(values));
    }
  }
}
