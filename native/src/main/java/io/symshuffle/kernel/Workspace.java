// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedBuffer;
import java.lang.foreign.MemorySegment;

/**
 * The status of a launch, followed by its tables: in pinned memory, where the host writes them, and
 * in device memory, where the kernel reads them.
 *
 * <p>It knows by an event whether queued work still uses it. A stream could not tell: the handle of
 * a default stream is another stream on each thread. Used by one launch at a time.
 */
final class Workspace implements AutoCloseable {
  private final PinnedBuffer host;
  private final DeviceBuffer device;

  /** The end of the work that was queued before {@link #queued}. */
  private final CudaEvent end;

  /** Whether work may be queued that {@link #end} does not cover. */
  private boolean queueing;

  Workspace(CudaContext context, long bytes) {
    end = context.newUntimedEvent();
    PinnedBuffer pinned = null;
    try {
      pinned = context.allocatePinned(bytes);
      device = context.allocate(bytes);
    } catch (RuntimeException e) {
      if (pinned != null) {
        pinned.close();
      }
      end.close();
      throw e;
    }
    host = pinned;
  }

  /** Notes that work is about to be queued that uses this memory. */
  void queueing() {
    queueing = true;
  }

  /** Notes that all of that work is queued, on one stream. */
  void queued(CudaStream stream) {
    stream.record(end);
    queueing = false;
  }

  /** Returns whether all work that uses this memory is done; false if the GPU failed. */
  boolean isIdle() {
    try {
      return !queueing && end.isDone();
    } catch (RuntimeException e) {
      return false;
    }
  }

  MemorySegment host() {
    return host.memory();
  }

  DeviceRange device() {
    return device.range();
  }

  @Override
  public void close() {
    device.close();
    host.close();
    end.close();
  }
}
