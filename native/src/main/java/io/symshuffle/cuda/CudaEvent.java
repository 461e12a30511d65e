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

  /** Returns whether the stream has reached it where it was last recorded; true if it never was. */
  public boolean isDone() {
    int code = context().driver().api().cuEventQuery(use());
    if (code != 0 && code != CudaStream.NOT_READY) {
      throw context().driver().failure(code, "cuEventQuery", this);
    }
    return code == 0;
  }

  /**
   * Returns the device time between two events that have been reached.
   *
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
