// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.RunIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The index of a map output of records. */
public final class RunIndex extends OutputIndex {
  /** The packets of a run have fewer bytes than this. */
  private static final long MAX_PACKED_BYTES = 1L << 32;

  private RunIndex(MapOutputId id, MemorySegment index) {
    super(id, index, RunIndexDescriptor.MAGIC, RunIndexDescriptor.RUN_BYTES);
  }

  /**
   * Checks an index.
   *
   * @param id the map output whose index it should be
   * @param index all its bytes, 8-byte aligned
   * @throws CorruptIndexException if it is torn, damaged or belongs to another map output
   */
  public static RunIndex open(MapOutputId id, MemorySegment index) {
    return new RunIndex(id, index);
  }

  /** Number of runs. */
  public int runs() {
    return entries;
  }

  /**
   * Returns a run.
   *
   * @param run 0 to {@link #runs()} - 1
   */
  public RunView run(int run) {
    long entry = entry(run);
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
          "invalid run %d: %d bytes at %d; table of %d blocks in form %d at %d of %d bytes"
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
