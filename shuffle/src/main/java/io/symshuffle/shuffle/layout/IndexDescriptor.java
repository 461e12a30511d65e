// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * The header of every index of a map output. It is followed by a list of fixed-size entries, then
 * by the data that the entries refer to: see {@link RunIndexDescriptor} and {@link
 * TableIndexDescriptor}.
 *
 * <pre>
 *   0   u32  magic, a different one for each {@link OutputKind}
 *   4   u32  CRC32C of all bytes of the index after this field
 *   8   u32  layout version
 *   12  u32  shuffle id
 *   16  u64  map task id
 *   24  u32  partitions of the shuffle
 *   28  u32  entries
 *   32  u64  bytes of the index
 *   40       the entries
 * </pre>
 */
public final class IndexDescriptor {
  public static final long MAGIC_OFFSET = 0;

  /** Offset of the checksum; it covers all bytes after it. */
  public static final long CRC_OFFSET = 4;

  public static final long VERSION_OFFSET = 8;
  public static final long SHUFFLE_ID_OFFSET = 12;
  public static final long MAP_ID_OFFSET = 16;
  public static final long PARTITIONS_OFFSET = 24;
  public static final long ENTRIES_OFFSET = 28;
  public static final long BYTES_OFFSET = 32;

  /** Bytes before the first entry. */
  public static final int HEADER_BYTES = 40;

  private IndexDescriptor() {}
}
