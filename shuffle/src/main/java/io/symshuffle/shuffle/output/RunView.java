// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.PacketDescriptor;
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
  private final int form;

  RunView(
      MapOutputId id,
      MemorySegment table,
      Tier tier,
      long place,
      long bytes,
      int blocks,
      int form) {
    this.id = id;
    this.table = table;
    this.tier = tier;
    this.place = place;
    this.bytes = bytes;
    this.blocks = blocks;
    this.form = form;
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

  /** Size of the run's records in bytes. */
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

  /** Whether the run's blocks are packets; if not, they are records. */
  public boolean isPacked() {
    return form == RunIndexDescriptor.PACKETS;
  }

  /** Where a block is stored, as {@link #place}. */
  public long storedPlace(int block) {
    return place + (isPacked() ? packedEnd(block - 1) : start(block));
  }

  /**
   * How many bytes a block takes where it is stored.
   *
   * @throws CorruptIndexException if that is not positive, or too few for its records
   */
  public long storedBytes(int block) {
    long size = size(block);
    if (!isPacked()) {
      return size;
    }
    long packed = packedEnd(block) - packedEnd(block - 1);
    if (packed <= 0
        || size / PacketDescriptor.MAX_DATA_BYTES > packed / PacketDescriptor.HEADER_BYTES) {
      throw new CorruptIndexException(
          id, "block %d of %d bytes is stored in %d bytes".formatted(block, size, packed));
    }
    return packed;
  }

  private long packedEnd(int block) {
    return block < 0
        ? 0
        : Integer.toUnsignedLong(table.getAtIndex(ValueLayout.JAVA_INT, 3L * blocks + 1 + block));
  }

  /** CRC32C of a block, 0 if checksums are off. */
  public int checksum(int block) {
    return table.getAtIndex(ValueLayout.JAVA_INT, 2L * blocks + 1 + block);
  }
}
