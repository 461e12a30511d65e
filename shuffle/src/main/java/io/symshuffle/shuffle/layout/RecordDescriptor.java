// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * A group of records in a run of any tier and on the wire. The records of a block are a sequence of
 * groups; those of a group follow each other and have the same length, as rows without strings do.
 *
 * <pre>
 *   0        4       8                                   8 + count * padded length
 *   +--------+-------+------------------------------------+
 *   | length | count | records, each with padding (any    |
 *   |        |       | bits) to a multiple of 8 bytes     |
 *   +--------+-------+------------------------------------+
 * </pre>
 *
 * <p>{@code length} is the size of each record in bytes, 0 to {@link #MAX_LENGTH}, and {@code
 * count} is 1 or more. A group with several records takes at most {@link #MAX_GROUP_BYTES} and its
 * header, so that a packet has room for whole groups; a record of less than 8 bytes counts as 8.
 * Records without bytes still have a group, so that a block with records is never empty.
 */
public final class RecordDescriptor {
  public static final int LENGTH_OFFSET = 0;
  public static final int COUNT_OFFSET = 4;

  /** Bytes before the records. */
  public static final int HEADER_BYTES = 8;

  /** Maximum bytes of the records of a group with several records. */
  public static final int MAX_GROUP_BYTES = 16 << 10;

  /** Maximum length of a record, in bytes: header and record fit into one Java array. */
  public static final int MAX_LENGTH = Integer.MAX_VALUE - 64;

  private RecordDescriptor() {}

  /** Bytes that a record of {@code length} bytes takes in a group, including padding. */
  public static long paddedLength(int length) {
    return (length + 7L) & ~7L;
  }

  /** Bytes that a group of one record of {@code length} bytes takes, including its header. */
  public static long sizeOf(int length) {
    return sizeOf(length, 1);
  }

  /** Bytes that a group of {@code count} records of {@code length} bytes takes. */
  public static long sizeOf(int length, int count) {
    return HEADER_BYTES + count * paddedLength(length);
  }
}
