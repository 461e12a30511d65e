// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * A range of this PE's window, allocated by a {@link SlabAllocator}.
 *
 * @param offset first byte, relative to the window; a multiple of 64
 * @param bytes length, a multiple of 64 (of 64 KiB above 1 MiB), so it may exceed the requested
 *     length
 */
public record Slab(long offset, long bytes) {
  public Slab {
    if (offset < 0 || bytes <= 0) {
      throw new IllegalArgumentException(
          "a slab of " + bytes + " bytes at offset " + offset + " is not a range of a window");
    }
  }

  /** Returns the first byte after the slab. */
  public long end() {
    return offset + bytes;
  }
}
