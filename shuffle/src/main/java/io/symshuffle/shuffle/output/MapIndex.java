// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.MapIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The index of a map output, read where it lies.
 *
 * <p>{@link #open} checks it once, its checksum included. The memory may be another process's, so
 * each number is checked again when it is used: a call gives numbers that fit together or throws
 * {@link CorruptIndexException}.
 *
 * <p>Immutable and thread-safe, as long as the memory is.
 */
public final class MapIndex {
  private final MapOutputId id;
  private final MemorySegment index;
  private final int runs;

  private MapIndex(MapOutputId id, MemorySegment index, int runs) {
    this.id = id;
    this.index = index;
    this.runs = runs;
  }

  /**
   * Checks an index.
   *
   * @param id whose index it should be
   * @param index all its bytes, 8-byte aligned
   * @throws CorruptIndexException if it is torn, damaged or another's
   */
  public static MapIndex open(MapOutputId id, MemorySegment index) {
    requireNonNull(id, "id is null");
    long bytes = index.byteSize();
    if (bytes < MapIndexDescriptor.RUN_TABLE_OFFSET) {
      throw new CorruptIndexException(id, "%d bytes are no index".formatted(bytes));
    }
    int magic = index.get(ValueLayout.JAVA_INT, MapIndexDescriptor.MAGIC_OFFSET);
    int version = index.get(ValueLayout.JAVA_INT, MapIndexDescriptor.VERSION_OFFSET);
    if (magic != MapIndexDescriptor.MAGIC || version != ControlDescriptor.VERSION) {
      throw new CorruptIndexException(
          id, "magic %08x and version %d are not ours".formatted(magic, version));
    }
    long claimed = index.get(ValueLayout.JAVA_LONG, MapIndexDescriptor.BYTES_OFFSET);
    if (claimed != bytes) {
      throw new CorruptIndexException(
          id, "it says %d bytes, the directory %d".formatted(claimed, bytes));
    }
    int crc = index.get(ValueLayout.JAVA_INT, MapIndexDescriptor.CRC_OFFSET);
    int expected = MapIndexBuilder.checksum(index, bytes);
    if (crc != expected) {
      throw new CorruptIndexException(id, "checksum %08x instead of %08x".formatted(crc, expected));
    }
    MapOutputId found =
        new MapOutputId(
            index.get(ValueLayout.JAVA_INT, MapIndexDescriptor.SHUFFLE_ID_OFFSET),
            index.get(ValueLayout.JAVA_LONG, MapIndexDescriptor.MAP_ID_OFFSET));
    if (!found.equals(id)) {
      throw new CorruptIndexException(id, "it is that of " + found);
    }
    int runs = index.get(ValueLayout.JAVA_INT, MapIndexDescriptor.RUNS_OFFSET);
    long room = (bytes - MapIndexDescriptor.RUN_TABLE_OFFSET) / MapIndexDescriptor.RUN_BYTES;
    if (runs < 0 || runs > room) {
      throw new CorruptIndexException(id, "%d runs in %d bytes".formatted(runs, bytes));
    }
    return new MapIndex(id, index, runs);
  }

  /** Whose index it is. */
  public MapOutputId id() {
    return id;
  }

  /** Number of runs. */
  public int runs() {
    return runs;
  }

  /**
   * A run's blocks.
   *
   * @param run 0 to {@link #runs()} - 1
   */
  public RunView run(int run) {
    if (run < 0 || run >= runs) {
      throw new IndexOutOfBoundsException("run %d of %d".formatted(run, runs));
    }
    long entry = MapIndexDescriptor.RUN_TABLE_OFFSET + (long) run * MapIndexDescriptor.RUN_BYTES;
    int tier = index.get(ValueLayout.JAVA_INT, entry + MapIndexDescriptor.RUN_TIER_OFFSET);
    int blocks = index.get(ValueLayout.JAVA_INT, entry + MapIndexDescriptor.RUN_BLOCKS_OFFSET);
    long place = index.get(ValueLayout.JAVA_LONG, entry + MapIndexDescriptor.RUN_PLACE_OFFSET);
    long bytes = index.get(ValueLayout.JAVA_LONG, entry + MapIndexDescriptor.RUN_SIZE_OFFSET);
    long table =
        index.get(ValueLayout.JAVA_LONG, entry + MapIndexDescriptor.RUN_TABLE_POINTER_OFFSET);
    long end = index.byteSize();
    if (blocks < 1
        || table < 0
        || (table & 7) != 0
        || table > end - MapIndexDescriptor.blockTableBytes(blocks)
        || place < 0
        || bytes <= 0
        || place > Long.MAX_VALUE - bytes) {
      throw new CorruptIndexException(
          id,
          "run %d: %d bytes at %d, %d blocks listed at %d of %d"
              .formatted(run, bytes, place, blocks, table, end));
    }
    return new RunView(
        id,
        index.asSlice(table, MapIndexDescriptor.blockTableBytes(blocks)),
        tierOf(tier),
        place,
        bytes,
        blocks);
  }

  private Tier tierOf(int code) {
    try {
      return Tier.ofCode(code);
    } catch (IllegalArgumentException e) {
      throw new CorruptIndexException(id, e.getMessage());
    }
  }
}
