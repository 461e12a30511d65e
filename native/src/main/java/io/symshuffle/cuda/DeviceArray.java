// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.util.Objects.checkIndex;

/**
 * Bytes that a GPU can address, seen as elements of one size.
 *
 * @param range the bytes
 * @param elementBytes bytes of an element, 1 or more
 */
public record DeviceArray(DeviceRange range, int elementBytes) {

  /** Checks. */
  public DeviceArray {
    if (elementBytes < 1 || range.bytes() % elementBytes != 0) {
      throw new IllegalArgumentException(
          "%s cannot be seen as elements of %d bytes".formatted(range, elementBytes));
    }
  }

  /** {@return number of elements} */
  public long count() {
    return range.bytes() / elementBytes;
  }

  /**
   * One element.
   *
   * @param index which, from 0
   * @return its bytes
   * @throws IndexOutOfBoundsException when there are not so many
   */
  public DeviceRange element(long index) {
    checkIndex(index, count());
    return range.slice(index * elementBytes, elementBytes);
  }

  /**
   * Some elements.
   *
   * @param from the first, from 0
   * @param length how many
   * @return these
   * @throws IndexOutOfBoundsException when there are not so many
   */
  public DeviceArray slice(long from, long length) {
    return new DeviceArray(
        range.slice(
            Math.multiplyExact(from, elementBytes), Math.multiplyExact(length, elementBytes)),
        elementBytes);
  }
}
