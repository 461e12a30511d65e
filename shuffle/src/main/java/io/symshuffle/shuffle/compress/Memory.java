// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import io.symshuffle.ffi.DirectMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.apache.spark.unsafe.Platform;

/** The pairs of array and offset by which {@link Platform} accesses memory. */
final class Memory {
  private Memory() {}

  /**
   * Allocates a direct buffer.
   *
   * @throws IllegalStateException if the JVM has no direct memory left; see {@link DirectMemory}
   */
  static ByteBuffer allocateDirect(int bytes) {
    return DirectMemory.require(
        "a buffer of %d bytes to transfer blocks", bytes, () -> ByteBuffer.allocateDirect(bytes));
  }

  /** The array of a segment, null for native memory. */
  static Object array(MemorySegment segment) {
    if (segment.isNative()) {
      return null;
    }
    return segment
        .heapBase()
        .filter(byte[].class::isInstance)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s is neither native memory nor a writable byte[]".formatted(segment)));
  }

  /** Offset in the array, or address of native memory. */
  static long offset(MemorySegment segment) {
    return segment.isNative() ? segment.address() : Platform.BYTE_ARRAY_OFFSET + segment.address();
  }
}
