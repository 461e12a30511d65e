// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.symshuffle.ffi.Segments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** Copies arrays to and from device memory, and waits for the copies. */
public final class DeviceBytes {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private DeviceBytes() {}

  /** Writes an array to memory of the same length. */
  public static void write(CudaStream stream, DeviceRange to, byte[] bytes)
      throws TimeoutException {
    try (Arena arena = Arena.ofConfined()) {
      stream.copyIn(to, Segments.allocateCopy(arena, MemorySegment.ofArray(bytes)));
      stream.synchronize(LIMIT);
    }
  }

  /** Reads memory. */
  public static byte[] read(CudaStream stream, DeviceRange from) throws TimeoutException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(from.bytes());
      stream.copyOut(copy, from);
      stream.synchronize(LIMIT);
      return copy.toArray(JAVA_BYTE);
    }
  }
}
