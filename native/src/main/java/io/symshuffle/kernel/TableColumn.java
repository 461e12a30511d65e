// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.MemorySegment;

/**
 * A column of a table in GPU memory, to be hashed or concatenated.
 *
 * @param kind how its values are stored and hashed
 * @param data the values, or the characters of strings
 * @param validity u32[rows / 32, rounded up]: bit {@code r % 32} of word {@code r / 32} is 0 if row
 *     {@code r} is null; {@link #NONE} if no row is
 * @param offsets of strings, one more than rows: where each starts in {@code data}, then where the
 *     last one ends; {@link #NONE} for other columns
 */
public record TableColumn(Kind kind, DeviceRange data, DeviceRange validity, DeviceRange offsets) {

  /** Memory that a column does not have. */
  public static final DeviceRange NONE = new DeviceRange(0, 0);

  /** Bytes of the struct. */
  static final long BYTES = DeviceStruct.layout(KernelStruct.TableColumn.class).byteSize();

  /** How values are stored and hashed; ColumnKind in layout.h. */
  public enum Kind {
    /** One byte, 0 or not; hashed as the int 0 or 1. */
    BOOL(0, 1),
    /** Hashed as an int. */
    INT8(1, 1),
    /** Hashed as an int. */
    INT16(2, 2),
    /** Also dates. */
    INT32(3, 4),
    /** Also timestamps, and decimals of 64 bits. */
    INT64(4, 8),
    /** Hashed as an int with the bits; all NaNs are equal, and so are 0.0 and -0.0. */
    FLOAT32(5, 4),
    /** Hashed as a long with the bits; all NaNs are equal, and so are 0.0 and -0.0. */
    FLOAT64(6, 8),
    /** The unscaled value; hashed as a long. */
    DECIMAL32(7, 4),
    /** The unscaled value; hashed as the bytes of {@link java.math.BigInteger#toByteArray}. */
    DECIMAL128(8, 16),
    /** Characters with offsets of 32 bits; hashed as bytes. */
    STRING(9, 4),
    /** Characters with offsets of 64 bits; hashed as bytes. */
    LARGE_STRING(10, 8);

    private final int code;
    private final int width;

    Kind(int code, int width) {
      this.code = code;
      this.width = width;
    }

    /** The value of ColumnKind. */
    int code() {
      return code;
    }

    /** {@return bytes of a value, or of an offset of strings} */
    public int width() {
      return width;
    }

    /** {@return whether a column of this kind has offsets} */
    public boolean hasOffsets() {
      return this == STRING || this == LARGE_STRING;
    }
  }

  /**
   * Checks that the memory is long enough and aligned.
   *
   * @throws IllegalArgumentException if it is not
   */
  void check(int rows) {
    if (rows == 0) {
      return;
    }
    if (kind.hasOffsets()) {
      check("offsets", offsets, rows + 1L, kind.width);
    } else {
      check("values", data, rows, kind.width);
    }
    if (validity.bytes() > 0) {
      check("words of validity", validity, (rows + 31L) / 32, Integer.BYTES);
    }
  }

  private void check(String what, DeviceRange range, long count, int width) {
    if (range.bytes() < count * width || range.address() % width != 0) {
      throw new IllegalArgumentException(
          "a column of kind %s needs %d %s, aligned to %d bytes, but has %s"
              .formatted(kind, count, what, width, range));
    }
  }

  /** Writes the struct to memory that is all zeros. */
  void write(MemorySegment to, long at) {
    to.set(JAVA_LONG, at, data.address());
    to.set(JAVA_LONG, at + 8, data.bytes());
    to.set(JAVA_LONG, at + 16, validity.address());
    to.set(JAVA_LONG, at + 24, offsets.address());
    to.set(JAVA_INT, at + 32, kind.code());
  }
}
