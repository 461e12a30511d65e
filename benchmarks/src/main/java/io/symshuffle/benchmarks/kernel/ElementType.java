// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.UnsupportedKernelException;
import java.lang.foreign.ValueLayout;

/** Types that reductions work on, as ElementType in layout.h. */
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

  /** {@return bytes of an element} */
  public int bytes() {
    return bytes;
  }

  /** Its number in layout.h. */
  int number() {
    return number;
  }

  boolean isFloating() {
    return this == F32 || this == F64;
  }

  /**
   * The type of Java's elements.
   *
   * @param layout a layout of Java
   * @return the type
   * @throws UnsupportedKernelException when reductions do not work on it
   */
  public static ElementType of(ValueLayout layout) {
    for (ElementType type : values()) {
      if (type.carrier == layout.carrier()) {
        return type;
      }
    }
    throw new UnsupportedKernelException(
        "reductions work on int, long, float and double, not on " + layout.carrier());
  }

  /**
   * Checks a range of elements.
   *
   * @throws RuntimeException when some lie outside of the range, or it is not aligned
   */
  void check(DeviceRange range, long firstElement, long elementCount) {
    range.slice(Math.multiplyExact(firstElement, bytes), Math.multiplyExact(elementCount, bytes));
    if (range.address() % bytes != 0) {
      throw new IllegalArgumentException("%s are not aligned for %s".formatted(range, this));
    }
  }
}
