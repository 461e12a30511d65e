// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.IndexDescriptor;
import io.symshuffle.shuffle.layout.RunIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The index of a map output of records, read in place.
 *
 * <p>{@link #open} checks it once, including its checksum. The memory may be another process's, so
 * each number is checked again when it is used: a call returns consistent numbers or throws {@link
 * CorruptIndexException}.
 *
 * <p>Thread-safe; immutable as long as the memory is.
 */
public final class RunIndex {
  /** Packets of a run end before. */
  private static final long MAX_PACKED_BYTES = 1L << 32;

  private final MapOutputId id;
  private final MemorySegment index;
  private final int runs;

  private RunIndex(MapOutputId id, MemorySegment index, int runs) {
    this.id = id;
    this.index = index;
    this.runs = runs;
  }

  /**
   * Checks an index.
   *
   * @param id the map output whose index it should be
   * @param index all its bytes, 8-byte aligned
   * @throws CorruptIndexException if it is torn, damaged or belongs to another map output
   */
  public static RunIndex open(MapOutputId id, MemorySegment index) {
    int runs = IndexHeader.check(id, index, RunIndexDescriptor.MAGIC, RunIndexDescriptor.RUN_BYTES);
    return new RunIndex(id, index, runs);
  }

  /** The map output whose index it is. */
  public MapOutputId id() {
    return id;
  }

  /** Number of partitions of the shuffle. */
  public int partitions() {
    return index.get(ValueLayout.JAVA_INT, IndexDescriptor.PARTITIONS_OFFSET);
  }

  /** Number of runs. */
  public int runs() {
    return runs;
  }

  /**
   * Returns a run.
   *
   * @param run 0 to {@link #runs()} - 1
   */
  public RunView run(int run) {
    if (run < 0 || run >= runs) {
      throw new IndexOutOfBoundsException("run %d of %d".formatted(run, runs));
    }
    long entry = IndexDescriptor.HEADER_BYTES + (long) run * RunIndexDescriptor.RUN_BYTES;
    int tier = index.get(ValueLayout.JAVA_SHORT, entry + RunIndexDescriptor.RUN_TIER_OFFSET);
    int form = index.get(ValueLayout.JAVA_SHORT, entry + RunIndexDescriptor.RUN_FORM_OFFSET);
    int blocks = index.get(ValueLayout.JAVA_INT, entry + RunIndexDescriptor.RUN_BLOCKS_OFFSET);
    long place = index.get(ValueLayout.JAVA_LONG, entry + RunIndexDescriptor.RUN_PLACE_OFFSET);
    long bytes = index.get(ValueLayout.JAVA_LONG, entry + RunIndexDescriptor.RUN_SIZE_OFFSET);
    long table =
        index.get(ValueLayout.JAVA_LONG, entry + RunIndexDescriptor.RUN_TABLE_POINTER_OFFSET);
    long end = index.byteSize();
    if (form < RunIndexDescriptor.RECORDS
        || form
            > (tier == Tier.DISK.code() ? RunIndexDescriptor.PACKETS : RunIndexDescriptor.RECORDS)
        || blocks < 1
        || table < 0
        || (table & 7) != 0
        || table > end - RunIndexDescriptor.blockTableBytes(blocks, form)
        || place < 0
        || bytes <= 0
        || place > Long.MAX_VALUE - Math.max(bytes, MAX_PACKED_BYTES)) {
      throw new CorruptIndexException(
          id,
          "run %d: %d bytes at %d; table of %d blocks in form %d at %d of %d bytes"
              .formatted(run, bytes, place, blocks, form, table, end));
    }
    return new RunView(
        id,
        index.asSlice(table, RunIndexDescriptor.blockTableBytes(blocks, form)),
        tierOf(tier),
        place,
        bytes,
        blocks,
        form);
  }

  private Tier tierOf(int code) {
    try {
      return Tier.ofCode(code);
    } catch (IllegalArgumentException e) {
      throw new CorruptIndexException(id, e.getMessage());
    }
  }
}
