// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * The control region at the start of a PE's window, which other PEs of the host read to find
 * blocks.
 *
 * <pre>
 *   0        header page: magic, version, directory tables, disk folders
 *   4 KiB    lease table: {@link #LEASE_SLOTS} slots of 8 bytes
 *   64 KiB   directory tables, one after the other, each twice as large as the one before
 *   ...      (table 0 is reserved at start, the others on demand)
 *   ARENA    slabs: indexes and runs of the HOST tier
 * </pre>
 *
 * <p>Header page:
 *
 * <pre>
 *   0   u64  magic
 *   8   u32  layout version
 *   12  u32  directory tables in use (release-stored by the owner)
 *   16  ...  unused
 *   32  u32  length of the disk folders' paths in bytes
 *   36  ...  the paths, UTF-8, a zero byte between two, at most {@link #MAX_DISK_FOLDERS_BYTES}
 * </pre>
 */
public final class ControlDescriptor {
  /** "SYMCTRL1", read as a little-endian number. */
  public static final long MAGIC = 0x314C5254434D5953L;

  /** Version of all layouts in this package. */
  public static final int VERSION = 3;

  public static final long MAGIC_OFFSET = 0;
  public static final long VERSION_OFFSET = 8;
  public static final long TABLES_OFFSET = 12;
  public static final long DISK_FOLDERS_LENGTH_OFFSET = 32;
  public static final long DISK_FOLDERS_OFFSET = 36;

  /** Longest paths of all disk folders together, in UTF-8 bytes. */
  public static final int MAX_DISK_FOLDERS_BYTES = 4096 - 36;

  public static final long LEASES_OFFSET = 4096;

  /** Shuffles that tasks of one PE can read at the same time. */
  public static final int LEASE_SLOTS = 4096;

  public static final long DIRECTORY_OFFSET = 64 << 10;

  /** Entries of directory table 0; table {@code i} has 2^i times as many. */
  public static final int FIRST_TABLE_ENTRIES = 1 << 13;

  /** Maximum number of directory tables; they hold about 1.5 million map outputs of one PE. */
  public static final int MAX_TABLES = 8;

  /** Bytes before the arena, a multiple of 2 MiB; all but the first MiB are sparse at start. */
  public static final long BYTES =
      (tableOffset(MAX_TABLES) + (2 << 20) - 1) / (2 << 20) * (2L << 20);

  private ControlDescriptor() {}

  /** Entries of directory table {@code table}. */
  public static int tableEntries(int table) {
    return FIRST_TABLE_ENTRIES << table;
  }

  /** Offset of directory table {@code table}; for {@code MAX_TABLES}, the end of the last table. */
  public static long tableOffset(int table) {
    return DIRECTORY_OFFSET
        + (((long) FIRST_TABLE_ENTRIES << table) - FIRST_TABLE_ENTRIES)
            * DirectoryEntryDescriptor.BYTES;
  }
}
