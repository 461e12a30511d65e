// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * The index of one map output: its runs, and for each run its blocks.
 *
 * <pre>
 *   0   u32  magic
 *   4   u32  CRC32C of everything behind this field
 *   8   u32  layout version
 *   12  u32  shuffle id
 *   16  u64  map task id
 *   24  u32  partitions of the shuffle
 *   28  u32  runs
 *   32  u64  bytes of the index
 *   40       one {@link #RUN_BYTES}-byte entry a run:
 *              0   u32  tier (0 HOST, 1 DISK, 2 DEVICE)
 *              4   u32  blocks
 *              8   u64  place: offset in the owner's window of the host heap (HOST) or of the
 *                       device heap (DEVICE), or in the map output's file (DISK)
 *              16  u64  bytes
 *              24  u64  offset of the run's block table from the start of the index
 *   ...      one block table a run, each a multiple of 8 bytes:
 *              u32[blocks]      partition, ascending
 *              u32[blocks + 1]  where the block starts in the run, in units of 8 bytes; the last: its end
 *              u32[blocks]      CRC32C of the block, 0 where checksums are off
 * </pre>
 *
 * <p>Only blocks with records are listed, so that a map task with few rows and many partitions has
 * a small index; the blocks of neighbouring partitions are contiguous in a run.
 */
public final class MapIndexDescriptor {
  /** "SYMI", read as a little-endian number. */
  public static final int MAGIC = 0x494D5953;

  /** Offset of the magic number. */
  public static final long MAGIC_OFFSET = 0;

  /** Offset of the checksum; what it covers starts behind it. */
  public static final long CRC_OFFSET = 4;

  /** Offset of the layout version. */
  public static final long VERSION_OFFSET = 8;

  /** Offset of the shuffle id. */
  public static final long SHUFFLE_ID_OFFSET = 12;

  /** Offset of the map task id. */
  public static final long MAP_ID_OFFSET = 16;

  /** Offset of the number of partitions. */
  public static final long PARTITIONS_OFFSET = 24;

  /** Offset of the number of runs. */
  public static final long RUNS_OFFSET = 28;

  /** Offset of the index's own size in bytes. */
  public static final long BYTES_OFFSET = 32;

  /** Offset of the first run's entry. */
  public static final long RUN_TABLE_OFFSET = 40;

  /** Bytes of a run's entry. */
  public static final int RUN_BYTES = 32;

  /** Offset of the tier in a run's entry. */
  public static final long RUN_TIER_OFFSET = 0;

  /** Offset of the number of blocks in a run's entry. */
  public static final long RUN_BLOCKS_OFFSET = 4;

  /** Offset of the run's place in a run's entry. */
  public static final long RUN_PLACE_OFFSET = 8;

  /** Offset of the run's size in bytes in a run's entry. */
  public static final long RUN_SIZE_OFFSET = 16;

  /** Offset of the offset of the block table in a run's entry. */
  public static final long RUN_TABLE_POINTER_OFFSET = 24;

  /** Unit of a block's start, in bytes. */
  public static final int START_UNIT = 8;

  private MapIndexDescriptor() {}

  /** Bytes of the block table of a run with {@code blocks} blocks. */
  public static long blockTableBytes(int blocks) {
    return ((3L * blocks + 1) * Integer.BYTES + 7) & ~7L;
  }
}
