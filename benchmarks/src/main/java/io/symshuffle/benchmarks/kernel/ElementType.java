// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.UnsupportedKernelException;
import java.lang.foreign.ValueLayout;

/** Element types of reductions, as ElementType in benchmark_layout.h. */
public enum ElementType {
  /** Signed 32-bit integers. */
  I32(0, 4, int.class),
  /** Signed 64-bit integers. */
  I64(1, 8, long.class),
  /** IEEE 754 binary32. */
  F32(2, 4, float.class),
  /** IEEE 754 binary64. */
  F64(3, 8, double.class);

  private final int number;
  private final int bytes;
  private final Class<?> carrier;

  ElementType(int number, int bytes, Class<?> carrier) {
    this.number = number;
    this.bytes = bytes;
    this.carrier = carrier;
  }

  /** {@return the size of an element in bytes} */
  public int bytes() {
    return bytes;
  }

  /** Returns its number in benchmark_layout.h. */
  int number() {
    return number;
  }

  boolean isFloating() {
    return this == F32 || this == F64;
  }

  /**
   * Returns the type for a layout.
   *
   * @param layout a layout
   * @return the type
   * @throws UnsupportedKernelException when reductions do not support it
   */
  public static ElementType of(ValueLayout layout) {
    for (ElementType type : values()) {
      if (type.carrier == layout.carrier()) {
        return type;
      }
    }
    throw new UnsupportedKernelException(
        "reductions support int, long, float and double, not " + layout.carrier());
  }

  /**
   * Checks a range of elements.
   *
   * @throws RuntimeException when some are outside the range, or it is not aligned
   */
  void check(DeviceRange range, long firstElement, long elementCount) {
    range.slice(Math.multiplyExact(firstElement, bytes), Math.multiplyExact(elementCount, bytes));
    if (range.address() % bytes != 0) {
      throw new IllegalArgumentException("%s are not aligned for %s".formatted(range, this));
    }
  }
}
