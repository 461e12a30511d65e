// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Waits for a signal by polling from the host, with a timeout. */
public final class SignalWait {
  private static final long PAUSE_NANOS = 10_000;

  private SignalWait() {}

  /**
   * Waits until a signal is large enough.
   *
   * @param stream a stream for polling, without other work that may block
   * @param signal 8 bytes of device memory, 8-byte aligned
   * @param least minimum value, unsigned
   * @param limit timeout
   * @return the value read
   * @throws TimeoutException when the time is up
   */
  public static long untilAtLeast(CudaStream stream, DeviceRange signal, long least, Duration limit)
      throws TimeoutException {
    long start = System.nanoTime();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment seen = arena.allocate(JAVA_LONG);
      while (true) {
        stream.copyOut(seen, signal);
        stream.synchronize(limit);
        long value = seen.get(JAVA_LONG, 0);
        if (Long.compareUnsigned(value, least) >= 0) {
          return value;
        }
        if (System.nanoTime() - start >= limit.toNanos()) {
          throw new TimeoutException(
              "the signal at %s is %d, not %d, after %d ms"
                  .formatted(signal, value, least, limit.toMillis()));
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
