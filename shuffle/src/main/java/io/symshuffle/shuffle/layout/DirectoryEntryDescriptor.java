// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * One entry of a PE's directory: the kind of a map output, and where its index is.
 *
 * <pre>
 *   0   u64  state: version in the upper 62 bits, {@link #EMPTY}, {@link #BUSY} or {@link #PUBLISHED}
 *            or {@link #ERASED} in the lower 2
 *   8   u64  map task id
 *   16  u32  shuffle id
 *   20  u8   tier of the index (0 HOST: offset in the window; 1 DISK: offset in the map output's file)
 *   21  u8   kind of the map output (1 ROWS, 2 TABLES), see {@link OutputKind}
 *   22  u16  0
 *   24  u64  offset of the index
 *   32  u64  bytes of the index
 *   40  u32  CRC32C of bytes 8 to 40
 *   44  ...  unused
 * </pre>
 *
 * <p>Protocol (a sequence lock with one writer, the owner): the owner sets the state to BUSY with
 * the next version, writes the fields, then release-stores PUBLISHED with that version. A reader
 * acquire-loads the state, reads the fields, and trusts them if the state is unchanged afterwards.
 * ERASED entries keep probe chains intact and are reused.
 */
public final class DirectoryEntryDescriptor {
  /** Bytes of an entry: one cache line. */
  public static final int BYTES = 64;

  public static final long MAP_ID_OFFSET = 8;
  public static final long SHUFFLE_ID_OFFSET = 16;
  public static final long TIER_OFFSET = 20;
  public static final long KIND_OFFSET = 21;
  public static final long INDEX_OFFSET_OFFSET = 24;
  public static final long INDEX_BYTES_OFFSET = 32;
  public static final long CRC_OFFSET = 40;

  /** State: never used; ends a probe chain. */
  public static final int EMPTY = 0;

  /** State: the owner is writing the fields. */
  public static final int BUSY = 1;

  /** State: the fields are valid. */
  public static final int PUBLISHED = 2;

  /** State: free, but was used before; does not end a probe chain. */
  public static final int ERASED = 3;

  private DirectoryEntryDescriptor() {}

  /** The state in a state word. */
  public static int state(long word) {
    return (int) (word & 3);
  }

  /** The successor of {@code word}, with the next version and the given state. */
  public static long next(long word, int state) {
    return ((word & ~3L) + 4) | state;
  }

  /** The word with the version of {@code word} and the given state. */
  public static long with(long word, int state) {
    return (word & ~3L) | state;
  }

  /**
   * The slot where a probe chain starts. Map tasks of one shuffle have consecutive ids: groups of
   * eight get adjacent entries, so that few pages are touched. The groups are spread out; otherwise
   * all entries would form one chain, and the lookup of a missing map output would scan all of it.
   *
   * @param entries entries of the table, a power of two, at least 8
   * @return an entry number, 0 to {@code entries - 1}
   */
  public static int homeSlot(int shuffleId, long mapId, int entries) {
    long group = (mapId >> 3) + shuffleId * 0xC2B2AE3D27D4EB4FL;
    // Fibonacci hashing: the upper bits of a product with 2^64 divided by the golden ratio.
    long product = group * 0x9E3779B97F4A7C15L;
    int spread = (int) (product >>> (Long.numberOfLeadingZeros(entries) + 1));
    return (spread & ~7) | ((int) mapId & 7);
  }
}
