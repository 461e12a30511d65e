// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.util.Objects.checkFromIndexSize;

import io.symshuffle.ffi.CallText;

/**
 * Some bytes that a GPU can address: its own memory, a peer's that is mapped, or host memory that
 * is registered. What {@code MemorySegment} is for the CPU, less access and life time: it owns
 * nothing.
 *
 * @param address first byte, as the GPU sees it
 * @param bytes length, 0 or more
 */
public record DeviceRange(long address, long bytes) {

  /** Checks. */
  public DeviceRange {
    if (bytes < 0) {
      throw new IllegalArgumentException("a range of " + bytes + " bytes");
    }
    if (address == 0 && bytes > 0) {
      throw new IllegalArgumentException("a range of " + bytes + " bytes at address 0");
    }
  }

  /**
   * A part.
   *
   * @param offset its first byte, counted from ours
   * @param length its bytes
   * @return the part
   * @throws IndexOutOfBoundsException when it leaves this range
   */
  public DeviceRange slice(long offset, long length) {
    checkFromIndexSize(offset, length, bytes);
    return new DeviceRange(address + offset, length);
  }

  /**
   * Whether two ranges share a byte.
   *
   * @param other another range
   * @return true when they do
   */
  public boolean overlaps(DeviceRange other) {
    return address < other.address + other.bytes && other.address < address + bytes;
  }

  @Override
  public String toString() {
    return bytes + " bytes at " + CallText.hex(address);
  }
}
