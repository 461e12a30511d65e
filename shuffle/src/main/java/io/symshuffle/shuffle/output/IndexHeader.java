// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.IndexDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Writes and checks the header of an index, see {@link IndexDescriptor}. */
final class IndexHeader {
  private IndexHeader() {}

  /**
   * Clears an index and writes its header, except the checksum.
   *
   * @param index all bytes of the index, 8-byte aligned
   * @param magic magic number of its kind
   */
  static void write(MemorySegment index, int magic, MapOutputId id, int partitions, int entries) {
    index.fill((byte) 0);
    index.set(ValueLayout.JAVA_INT, IndexDescriptor.MAGIC_OFFSET, magic);
    index.set(ValueLayout.JAVA_INT, IndexDescriptor.VERSION_OFFSET, ControlDescriptor.VERSION);
    index.set(ValueLayout.JAVA_INT, IndexDescriptor.SHUFFLE_ID_OFFSET, id.shuffleId());
    index.set(ValueLayout.JAVA_LONG, IndexDescriptor.MAP_ID_OFFSET, id.mapId());
    index.set(ValueLayout.JAVA_INT, IndexDescriptor.PARTITIONS_OFFSET, partitions);
    index.set(ValueLayout.JAVA_INT, IndexDescriptor.ENTRIES_OFFSET, entries);
    index.set(ValueLayout.JAVA_LONG, IndexDescriptor.BYTES_OFFSET, index.byteSize());
  }

  /** Writes the checksum; call this after everything else is written. */
  static void seal(MemorySegment index) {
    index.set(ValueLayout.JAVA_INT, IndexDescriptor.CRC_OFFSET, checksum(index));
  }

  /**
   * Checks the header and the checksum of an index.
   *
   * @param id the map output whose index it should be
   * @param index all its bytes, 8-byte aligned
   * @param magic magic number of the expected kind
   * @param entryBytes size of an entry, in bytes
   * @return the number of entries, all of which are inside the index
   * @throws CorruptIndexException if it is torn, damaged, of another kind or of another map output
   */
  static int check(MapOutputId id, MemorySegment index, int magic, int entryBytes) {
    long bytes = index.byteSize();
    if (bytes < IndexDescriptor.HEADER_BYTES) {
      throw new CorruptIndexException(id, "%d bytes are too few for an index".formatted(bytes));
    }
    int foundMagic = index.get(ValueLayout.JAVA_INT, IndexDescriptor.MAGIC_OFFSET);
    int version = index.get(ValueLayout.JAVA_INT, IndexDescriptor.VERSION_OFFSET);
    if (foundMagic != magic || version != ControlDescriptor.VERSION) {
      throw new CorruptIndexException(
          id,
          "magic %08x and version %d instead of %08x and %d"
              .formatted(foundMagic, version, magic, ControlDescriptor.VERSION));
    }
    long claimed = index.get(ValueLayout.JAVA_LONG, IndexDescriptor.BYTES_OFFSET);
    if (claimed != bytes) {
      throw new CorruptIndexException(
          id, "its header says %d bytes, its directory entry %d".formatted(claimed, bytes));
    }
    int crc = index.get(ValueLayout.JAVA_INT, IndexDescriptor.CRC_OFFSET);
    int computed = checksum(index);
    if (crc != computed) {
      throw new CorruptIndexException(id, "checksum %08x instead of %08x".formatted(crc, computed));
    }
    MapOutputId found =
        new MapOutputId(
            index.get(ValueLayout.JAVA_INT, IndexDescriptor.SHUFFLE_ID_OFFSET),
            index.get(ValueLayout.JAVA_LONG, IndexDescriptor.MAP_ID_OFFSET));
    if (!found.equals(id)) {
      throw new CorruptIndexException(id, "it is the index of " + found);
    }
    int entries = index.get(ValueLayout.JAVA_INT, IndexDescriptor.ENTRIES_OFFSET);
    if (entries < 0 || entries > (bytes - IndexDescriptor.HEADER_BYTES) / entryBytes) {
      throw new CorruptIndexException(
          id, "its %d entries do not fit into %d bytes".formatted(entries, bytes));
    }
    return entries;
  }

  private static int checksum(MemorySegment index) {
    long start = IndexDescriptor.CRC_OFFSET + Integer.BYTES;
    return Crc32c.of(index, start, index.byteSize() - start);
  }
}
