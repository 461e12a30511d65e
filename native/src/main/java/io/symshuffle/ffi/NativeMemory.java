// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Memory that a library owns, seen as segments. The caller vouches for address and length. */
public final class NativeMemory {
  private static final int LONGEST_STRING = 64 << 10;

  private NativeMemory() {}

  /**
   * Memory at an address.
   *
   * @param address its first byte, which this process can load and store
   * @param bytes its length
   * @param arena how long it may be used; closing it frees nothing
   * @return the memory
   */
  @SuppressWarnings("restricted")
  public static MemorySegment at(long address, long bytes, Arena arena) {
    return MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
  }

  /**
   * A C string.
   *
   * @param address its first byte, or 0
   * @return the text up to the first zero byte, 64 KiB at most; empty at address 0
   */
  @SuppressWarnings("restricted")
  public static String string(long address) {
    return address == 0
        ? ""
        : MemorySegment.ofAddress(address)
            .reinterpret(LONGEST_STRING)
            .getString(0, StandardCharsets.UTF_8);
  }
}
