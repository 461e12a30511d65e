// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.TableIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The index of a map output of packed tables, read where it lies.
 *
 * <p>{@link #open} checks it once, its checksum included. The memory may be another process's, so
 * each number is checked again when it is used: a call gives numbers that fit together or throws
 * {@link CorruptIndexException}.
 *
 * <p>Immutable and thread-safe, as long as the memory is.
 */
public final class TableIndex {
  private final MapOutputId id;
  private final MemorySegment index;
  private final int tables;

  private TableIndex(MapOutputId id, MemorySegment index, int tables) {
    this.id = id;
    this.index = index;
    this.tables = tables;
  }

  /** Whether these bytes start like an index of packed tables. */
  public static boolean isOne(MemorySegment index) {
    return index.byteSize() >= TableIndexDescriptor.TABLE_OFFSET
        && index.get(ValueLayout.JAVA_INT, TableIndexDescriptor.MAGIC_OFFSET)
            == TableIndexDescriptor.MAGIC;
  }

  /**
   * Checks an index.
   *
   * @param id whose index it should be
   * @param index all its bytes, 8-byte aligned
   * @throws CorruptIndexException if it is torn, damaged or another's
   */
  public static TableIndex open(MapOutputId id, MemorySegment index) {
    requireNonNull(id, "id is null");
    long bytes = index.byteSize();
    if (bytes < TableIndexDescriptor.TABLE_OFFSET) {
      throw new CorruptIndexException(id, "%d bytes are no index of tables".formatted(bytes));
    }
    int magic = index.get(ValueLayout.JAVA_INT, TableIndexDescriptor.MAGIC_OFFSET);
    int version = index.get(ValueLayout.JAVA_INT, TableIndexDescriptor.VERSION_OFFSET);
    if (magic != TableIndexDescriptor.MAGIC || version != ControlDescriptor.VERSION) {
      throw new CorruptIndexException(
          id, "magic %08x and version %d are no index of tables".formatted(magic, version));
    }
    long claimed = index.get(ValueLayout.JAVA_LONG, TableIndexDescriptor.BYTES_OFFSET);
    if (claimed != bytes) {
      throw new CorruptIndexException(
          id, "it says %d bytes, the directory %d".formatted(claimed, bytes));
    }
    int crc = index.get(ValueLayout.JAVA_INT, TableIndexDescriptor.CRC_OFFSET);
    int expected = MapIndexBuilder.checksum(index, bytes);
    if (crc != expected) {
      throw new CorruptIndexException(id, "checksum %08x instead of %08x".formatted(crc, expected));
    }
    MapOutputId found =
        new MapOutputId(
            index.get(ValueLayout.JAVA_INT, TableIndexDescriptor.SHUFFLE_ID_OFFSET),
            index.get(ValueLayout.JAVA_LONG, TableIndexDescriptor.MAP_ID_OFFSET));
    if (!found.equals(id)) {
      throw new CorruptIndexException(id, "it is that of " + found);
    }
    int tables = index.get(ValueLayout.JAVA_INT, TableIndexDescriptor.TABLES_OFFSET);
    long room = (bytes - TableIndexDescriptor.TABLE_OFFSET) / TableIndexDescriptor.TABLE_BYTES;
    if (tables < 0 || tables > room) {
      throw new CorruptIndexException(id, "%d tables in %d bytes".formatted(tables, bytes));
    }
    return new TableIndex(id, index, tables);
  }

  /** Whose index it is. */
  public MapOutputId id() {
    return id;
  }

  /** Number of tables. */
  public int tables() {
    return tables;
  }

  /** The first table of this partition or a later one; {@link #tables()} if there is none. */
  public int first(int partition) {
    int low = 0;
    int high = tables;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (partitionOf(middle) < partition) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * A table.
   *
   * @param number 0 to {@link #tables()} - 1
   */
  public TableEntry table(int number) {
    long entry = entry(number);
    long metadata = index.get(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.METADATA_OFFSET);
    int length = index.get(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.METADATA_BYTES);
    if (length < 0
        || metadata < TableIndexDescriptor.TABLE_OFFSET
        || metadata > index.byteSize() - length) {
      throw new CorruptIndexException(
          id,
          "table %d: %d bytes of metadata at %d of %d"
              .formatted(number, length, metadata, index.byteSize()));
    }
    try {
      return new TableEntry(
          partitionOf(number),
          Tier.ofCode(index.get(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.TIER)),
          index.get(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.PLACE),
          index.get(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.DATA_BYTES),
          index.get(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.ROWS),
          index.asSlice(metadata, length),
          index.get(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.DATA_CRC));
    } catch (IllegalArgumentException e) {
      throw new CorruptIndexException(id, "table %d: %s".formatted(number, e.getMessage()));
    }
  }

  private int partitionOf(int number) {
    return index.get(ValueLayout.JAVA_INT, entry(number) + TableIndexDescriptor.PARTITION);
  }

  private long entry(int number) {
    if (number < 0 || number >= tables) {
      throw new IndexOutOfBoundsException("table %d of %d".formatted(number, tables));
    }
    return TableIndexDescriptor.TABLE_OFFSET + (long) number * TableIndexDescriptor.TABLE_BYTES;
  }
}
