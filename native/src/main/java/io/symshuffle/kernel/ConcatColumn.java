// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.kernel.TableColumn.Kind;

/**
 * A column of the result of {@link Kernels#concat}. Its memory is in the result's, at offsets that
 * are multiples of 16; {@link #NONE} is one that the column does not have.
 *
 * @param kind that of the columns of the parts, except that large strings become strings
 * @param data offset of the values, or of the characters of strings
 * @param bytes room for values or characters: at least that of all parts
 * @param validity offset of u32[rows / 32, rounded up]; NONE if no row of any part is null
 * @param offsets offset of u32[rows + 1], the offsets of strings; NONE for other columns
 */
public record ConcatColumn(Kind kind, long data, long bytes, long validity, long offsets) {
  /** Memory that a column does not have. */
  public static final long NONE = -1;

  private static final int ALIGNMENT = 16;

  /** Checks that the column is inside {@code total} bytes, and has room for the rows. */
  void check(long rows, long total) {
    boolean strings = kind == Kind.STRING;
    require(kind != Kind.LARGE_STRING, rows, total);
    require(strings == (offsets != NONE), rows, total);
    require(!strings || bytes <= Integer.MAX_VALUE, rows, total);
    require(strings || bytes >= rows * kind.width(), rows, total);
    require(isInside(data, bytes, total), rows, total);
    require(!strings || isInside(offsets, (rows + 1) * Integer.BYTES, total), rows, total);
    require(validity == NONE || isInside(validity, validityBytes(rows), total), rows, total);
  }

  /** {@return the bytes of the validity of this many rows} */
  public static long validityBytes(long rows) {
    return (rows + 31) / 32 * Integer.BYTES;
  }

  private static boolean isInside(long offset, long bytes, long total) {
    return offset >= 0 && bytes >= 0 && bytes <= total - offset && offset % ALIGNMENT == 0;
  }

  private void require(boolean condition, long rows, long total) {
    if (!condition) {
      throw new IllegalArgumentException(
          "%s of %d rows does not fit into %d bytes".formatted(this, rows, total));
    }
  }
}
