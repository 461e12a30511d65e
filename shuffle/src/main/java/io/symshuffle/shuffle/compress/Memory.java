// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.apache.spark.unsafe.Platform;

/** The pairs of array and offset by which {@link Platform} accesses memory. */
final class Memory {
  private Memory() {}

  /**
   * Allocates a direct buffer.
   *
   * @throws IllegalStateException if the JVM has no direct memory left; because of Java's own error
   *     Spark would end the executor, also if it were only the cause
   */
  static ByteBuffer allocateDirect(int bytes) {
    try {
      return ByteBuffer.allocateDirect(bytes);
    } catch (OutOfMemoryError e) {
      throw new IllegalStateException(
          ("no direct memory for a buffer of %d bytes to transfer blocks: raise"
                  + " -XX:MaxDirectMemorySize in spark.executor.extraJavaOptions (%s)")
              .formatted(bytes, e.getMessage()));
    }
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
