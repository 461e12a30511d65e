// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * The index of a map output of records: its runs, and for each run its blocks.
 *
 * <pre>
 *   0        the header, see {@link IndexDescriptor}
 *   40       one {@link #RUN_BYTES}-byte entry per run:
 *              0   u16  tier (0 HOST, 1 DISK, 2 DEVICE)
 *              2   u16  form of the blocks (0 records, 1 packets of records; only DISK)
 *              4   u32  blocks
 *              8   u64  place: offset in the owner's window of the host heap (HOST) or of the
 *                       device heap (DEVICE), or in the map output's file (DISK)
 *              16  u64  bytes of the records
 *              24  u64  offset of the run's block table from the start of the index
 *   ...      one block table per run, each a multiple of 8 bytes:
 *              u32[blocks]      partition, ascending
 *              u32[blocks + 1]  start of each block in the run, in units of 8 bytes; last: the end
 *              u32[blocks]      CRC32C of the block, 0 if checksums are off
 *              u32[blocks]      only with packets: bytes of the packets up to the end of the block
 * </pre>
 *
 * <p>Starts, bytes and checksums are those of the records. With packets, each block is its own
 * sequence of packets ({@link PacketDescriptor}), and these follow each other from the place on.
 *
 * <p>Only blocks with records are listed, so that a map task with few rows and many partitions has
 * a small index. The blocks of consecutive partitions are contiguous in a run.
 */
public final class RunIndexDescriptor {
  /** "SYMI", read as a little-endian number. */
  public static final int MAGIC = 0x494D5953;

  /** Bytes of a run's entry. */
  public static final int RUN_BYTES = 32;

  public static final long RUN_TIER_OFFSET = 0;
  public static final long RUN_FORM_OFFSET = 2;

  /** Form: records. */
  public static final int RECORDS = 0;

  /** Form: packets of records. */
  public static final int PACKETS = 1;

  public static final long RUN_BLOCKS_OFFSET = 4;
  public static final long RUN_PLACE_OFFSET = 8;
  public static final long RUN_SIZE_OFFSET = 16;
  public static final long RUN_TABLE_POINTER_OFFSET = 24;

  /** Unit of a block's start, in bytes. */
  public static final int START_UNIT = 8;

  private RunIndexDescriptor() {}

  /** Bytes of the block table of a run with {@code blocks} blocks in a form. */
  public static long blockTableBytes(int blocks, int form) {
    return (((3L + form) * blocks + 1) * Integer.BYTES + 7) & ~7L;
  }
}
