// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Views of memory that a library owns. The caller guarantees that address and length are valid. */
public final class NativeMemory {
  private static final int MAX_STRING_BYTES = 64 << 10;

  private NativeMemory() {}

  /**
   * Returns a segment for memory at an address.
   *
   * @param address its first byte, which this process can load and store
   * @param arena lifetime of the segment; closing it does not free the memory
   */
  @SuppressWarnings("restricted")
  public static MemorySegment at(long address, long bytes, Arena arena) {
    return MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
  }

  /**
   * Reads a C string.
   *
   * @param address its first byte, or 0
   * @return the text up to the first zero byte, at most 64 KiB; empty for address 0
   */
  @SuppressWarnings("restricted")
  public static String string(long address) {
    return address == 0
        ? ""
        : Segments.getString(MemorySegment.ofAddress(address).reinterpret(MAX_STRING_BYTES), 0);
  }
}
