// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvml;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.OptionalLong;

/**
 * nvmlFieldValue_t (nvml.h, CUDA 13.0): a query for a field and its result.
 *
 * <pre>
 *   0         4         8           16          24           28           32      40
 *  +---------+---------+-----------+-----------+------------+------------+-------+
 *  | fieldId | scopeId | timestamp | latency   | value type | nvmlReturn | value |
 *  +---------+---------+-----------+-----------+------------+------------+-------+
 * </pre>
 */
final class FieldValue {
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          JAVA_INT.withName("fieldId"),
          JAVA_INT.withName("scopeId"),
          JAVA_LONG.withName("timestamp"),
          JAVA_LONG.withName("latencyUsec"),
          JAVA_INT.withName("valueType"),
          JAVA_INT.withName("nvmlReturn"),
          JAVA_LONG.withName("value"));

  /** NVML_FI_DEV_NVLINK_GET_SPEED: MB/s of one link in one direction; the scope is the link. */
  static final int LINK_SPEED = 164;

  /**
   * NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON: common MB/s of the active links in one direction; not
   * supported on H200 (driver 580).
   */
  static final int COMMON_LINK_SPEED = 90;

  /** nvmlValueType_t: unsigned int is 1, unsigned long 2, unsigned long long 3. */
  private static final int UNSIGNED_INT = 1;

  private static final int UNSIGNED_LONG_LONG = 3;

  private FieldValue() {}

  static long offset(String field) {
    return LAYOUT.byteOffset(PathElement.groupElement(field));
  }

  /** Returns the result as a number; empty when there is none. */
  static OptionalLong read(MemorySegment field) {
    int type = field.get(JAVA_INT, offset("valueType"));
    if (field.get(JAVA_INT, offset("nvmlReturn")) != 0
        || type < UNSIGNED_INT
        || type > UNSIGNED_LONG_LONG) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(
        type == UNSIGNED_INT
            ? Integer.toUnsignedLong(field.get(JAVA_INT, offset("value")))
            : field.get(JAVA_LONG, offset("value")));
  }
}
