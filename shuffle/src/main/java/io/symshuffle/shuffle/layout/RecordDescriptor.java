// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * A record in a staging buffer, in a run of any tier and on the wire.
 *
 * <pre>
 *   0        4           8                8 + length          next multiple of 8
 *   +--------+-----------+----------------+-------------------+
 *   | length | partition | bytes          | padding, any bits |
 *   +--------+-----------+----------------+-------------------+
 * </pre>
 *
 * <p>{@code length} is the size of the record in bytes, 0 to {@link #MAX_LENGTH}. A row without
 * columns has length 0 and still takes 8 bytes, so that a block with records is never empty.
 */
public final class RecordDescriptor {
  public static final int LENGTH_OFFSET = 0;
  public static final int PARTITION_OFFSET = 4;

  /** Bytes before the record. */
  public static final int HEADER_BYTES = 8;

  /** Maximum length of a record, in bytes: header and record fit into one Java array. */
  public static final int MAX_LENGTH = Integer.MAX_VALUE - 64;

  private RecordDescriptor() {}

  /** Bytes that a record of {@code length} bytes takes, including header and padding. */
  public static long sizeOf(int length) {
    return HEADER_BYTES + ((length + 7L) & ~7L);
  }
}
