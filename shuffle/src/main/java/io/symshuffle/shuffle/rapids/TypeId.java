// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.kernel.TableSchema.Column;
import io.symshuffle.kernel.TableSchema.Kind;

/** Types of cuDF, {@code cudf::type_id} of 26.08. */
final class TypeId {
  private static final int INT8 = 1;
  private static final int INT16 = 2;
  private static final int INT32 = 3;
  private static final int INT64 = 4;
  private static final int UINT8 = 5;
  private static final int UINT16 = 6;
  private static final int UINT32 = 7;
  private static final int UINT64 = 8;
  private static final int FLOAT32 = 9;
  private static final int FLOAT64 = 10;
  private static final int BOOL8 = 11;
  private static final int TIMESTAMP_DAYS = 12;
  private static final int TIMESTAMP_SECONDS = 13;
  private static final int TIMESTAMP_NANOSECONDS = 16;
  private static final int DURATION_DAYS = 17;
  private static final int DURATION_SECONDS = 18;
  private static final int DURATION_NANOSECONDS = 21;
  private static final int STRING = 23;
  private static final int LIST = 24;
  private static final int DECIMAL32 = 25;
  private static final int DECIMAL64 = 26;
  private static final int DECIMAL128 = 27;
  private static final int STRUCT = 28;

  private TypeId() {}

  /**
   * A column of this type.
   *
   * @throws IllegalArgumentException if the type is unknown
   */
  static Column column(int type, int children) {
    return switch (type) {
      case STRING -> new Column(Kind.STRING, 0, 0);
      case LIST -> new Column(Kind.LIST, 0, 1);
      case STRUCT -> new Column(Kind.STRUCT, 0, children);
      default -> new Column(Kind.FIXED, width(type), 0);
    };
  }

  private static int width(int type) {
    if ((type >= TIMESTAMP_SECONDS && type <= TIMESTAMP_NANOSECONDS)
        || (type >= DURATION_SECONDS && type <= DURATION_NANOSECONDS)) {
      return Long.BYTES;
    }
    return switch (type) {
      case INT8, UINT8, BOOL8 -> 1;
      case INT16, UINT16 -> 2;
      case INT32, UINT32, FLOAT32, TIMESTAMP_DAYS, DURATION_DAYS, DECIMAL32 -> 4;
      case INT64, UINT64, FLOAT64, DECIMAL64 -> 8;
      case DECIMAL128 -> 16;
      default -> throw new IllegalArgumentException("cuDF's type %d is unknown".formatted(type));
    };
  }
}
