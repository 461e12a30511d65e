// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * The index of a map output of tables. A serialized table has all its columns in one contiguous
 * range of bytes, which begins with a header that describes them.
 *
 * <pre>
 *   0        the header, see {@link IndexDescriptor}
 *   40       one {@link #TABLE_BYTES}-byte entry per table, by partition, ascending:
 *              0   u32  partition
 *              4   u32  tier (0 HOST, 1 DISK, 2 DEVICE)
 *              8   u64  place: offset in the owner's window (HOST, DEVICE) or in the map output's file
 *              16  u64  bytes, 0 for a table without columns
 *              24  u64  bytes as stored, if the data is packed ({@link
 *                       io.symshuffle.kernel.PackedTables}); 0 if not
 *              32  u64  rows
 *              40  u32  CRC32C of the data, not packed, 0 if not computed (checksums off, or DEVICE
 *                       above 16 GiB)
 *              44  u32  CRC32C of the packed data, 0 if not packed or not computed
 * </pre>
 */
public final class TableIndexDescriptor {
  /** "SYMT", read as a little-endian number. */
  public static final int MAGIC = 0x544D5953;

  /** Bytes of a table's entry. */
  public static final int TABLE_BYTES = 48;

  public static final long PARTITION_OFFSET = 0;
  public static final long TIER_OFFSET = 4;
  public static final long PLACE_OFFSET = 8;
  public static final long DATA_BYTES_OFFSET = 16;
  public static final long PACKED_BYTES_OFFSET = 24;
  public static final long ROWS_OFFSET = 32;
  public static final long DATA_CRC_OFFSET = 40;
  public static final long PACKED_CRC_OFFSET = 44;

  private TableIndexDescriptor() {}
}
