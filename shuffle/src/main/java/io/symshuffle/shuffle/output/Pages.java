// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Checks memory that other processes may truncate. */
public final class Pages {
  /** The smallest page size in use on Linux. */
  private static final int PAGE_BYTES = 4096;

  private Pages() {}

  /**
   * Reads a byte of every page of a range. If the mapped file was truncated, a plain load raises an
   * {@link InternalError}; the intrinsic checksum code that runs next would crash the process. One
   * load per page is cheap compared to the checksum.
   *
   * @throws InternalError if a page is missing
   */
  public static void touch(MemorySegment memory) {
    int sum = 0;
    for (long at = 0; at < memory.byteSize(); at += PAGE_BYTES) {
      sum += memory.get(ValueLayout.JAVA_BYTE, at);
    }
    if (memory.byteSize() > 0) {
      sum += memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1);
    }
    // Use the result, so that the compiler does not remove the loads.
    sink = sum;
  }

  @SuppressWarnings("unused") // written only
  private static volatile int sink;
}
