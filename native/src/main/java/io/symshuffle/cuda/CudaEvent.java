// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A point in a stream and the time when the device reached it. Thread-safe. */
public final class CudaEvent extends CudaObject {

  CudaEvent(CudaContext context, long handle) {
    super(context, handle);
  }

  /**
   * Returns the device time between two events that have been reached.
   *
   * @param end the later one
   * @return microseconds, with a resolution of about half a microsecond
   */
  public double microsecondsTo(CudaEvent end) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment milliseconds = arena.allocate(JAVA_FLOAT);
      context()
          .driver()
          .check(
              context().driver().api().cuEventElapsedTime(milliseconds, use(), end.use()),
              "cuEventElapsedTime");
      return milliseconds.get(JAVA_FLOAT, 0) * 1e3;
    }
  }

  @Override
  int release(CudaApi api, long ownHandle) {
    return api.cuEventDestroy(ownHandle);
  }
}
