// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.util.Objects.checkFromIndexSize;

import io.symshuffle.ffi.CallText;

/**
 * A range of bytes that a GPU can address: its own memory, mapped memory of a peer, or registered
 * host memory. Like a {@code MemorySegment}, but without access or lifetime: it owns nothing.
 *
 * @param address address of the first byte on the GPU
 * @param bytes length, 0 or more
 */
public record DeviceRange(long address, long bytes) {

  public DeviceRange {
    if (bytes < 0) {
      throw new IllegalArgumentException("a range of " + bytes + " bytes");
    }
    if (address == 0 && bytes > 0) {
      throw new IllegalArgumentException("a range of " + bytes + " bytes at address 0");
    }
  }

  /**
   * Returns a part of this range.
   *
   * @param offset first byte of the part, relative to this range
   * @param length length of the part in bytes
   * @throws IndexOutOfBoundsException when the part is not inside this range
   */
  public DeviceRange slice(long offset, long length) {
    checkFromIndexSize(offset, length, bytes);
    return new DeviceRange(address + offset, length);
  }

  /** Returns whether two ranges share a byte. */
  public boolean overlaps(DeviceRange other) {
    return address < other.address + other.bytes && other.address < address + bytes;
  }

  @Override
  public String toString() {
    return bytes + " bytes at " + CallText.hex(address);
  }
}
