// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.RunIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** One run of a map output, as listed in its index. Immutable as long as the memory is. */
public final class RunView {
  private final MapOutputId id;
  private final MemorySegment table;
  private final Tier tier;
  private final long place;
  private final long bytes;
  private final int blocks;

  RunView(MapOutputId id, MemorySegment table, Tier tier, long place, long bytes, int blocks) {
    this.id = id;
    this.table = table;
    this.tier = tier;
    this.place = place;
    this.bytes = bytes;
    this.blocks = blocks;
  }

  /** The map output that contains the run. */
  public MapOutputId id() {
    return id;
  }

  /** The run's tier. */
  public Tier tier() {
    return tier;
  }

  /** Offset of the run: HOST, DEVICE: in the owner's window; DISK: in the map output's file. */
  public long place() {
    return place;
  }

  /** Size of the run in bytes. */
  public long bytes() {
    return bytes;
  }

  /** Number of blocks, at least 1. */
  public int blocks() {
    return blocks;
  }

  /**
   * The first block whose partition is at least {@code partition}; {@link #blocks()} if there is
   * none.
   *
   * @param partition any number
   */
  public int firstBlock(int partition) {
    int low = 0;
    int high = blocks;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (partition(middle) < partition) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The partition of a block. */
  public int partition(int block) {
    return table.getAtIndex(ValueLayout.JAVA_INT, block);
  }

  /**
   * Offset of a block in the run, in bytes; for {@link #blocks()}, the end of the last block.
   *
   * @throws CorruptIndexException if that is outside the run
   */
  public long start(int block) {
    long start =
        Integer.toUnsignedLong(table.getAtIndex(ValueLayout.JAVA_INT, (long) blocks + block))
            * RunIndexDescriptor.START_UNIT;
    if (start > bytes) {
      throw new CorruptIndexException(
          id, "block %d starts at %d in a run of %d bytes".formatted(block, start, bytes));
    }
    return start;
  }

  /**
   * Size of a block in bytes.
   *
   * @throws CorruptIndexException if it is not positive
   */
  public long size(int block) {
    long size = start(block + 1) - start(block);
    if (size <= 0) {
      throw new CorruptIndexException(id, "block %d has %d bytes".formatted(block, size));
    }
    return size;
  }

  /** CRC32C of a block, 0 if checksums are off. */
  public int checksum(int block) {
    return table.getAtIndex(ValueLayout.JAVA_INT, 2L * blocks + 1 + block);
  }
}
