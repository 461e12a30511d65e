// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.ffi.Segments;
import io.symshuffle.heap.host.HostHeap;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** A barrier of all PEs: each increments a counter in its window of host memory. */
final class HostBarrier {
  private static final VarHandle COUNTER = Segments.varHandle(JAVA_LONG);

  private final HostHeap heap;
  private final long offset;
  private final int peCount;
  private long count;

  /** Uses the 8 bytes at an offset of each PE's window, which are backed and zero. */
  HostBarrier(HostHeap heap, long offset, int peCount) {
    this.heap = heap;
    this.offset = offset;
    this.peCount = peCount;
  }

  /** Waits until all PEs have called this as often as this PE. */
  void await() throws TimeoutException {
    COUNTER.setRelease(heap.local(), offset, ++count);
    long deadline = System.nanoTime() + PeGpu.LIMIT.toNanos();
    for (int pe = 0; pe < peCount; pe++) {
      while (heap.peer(pe).map(w -> (long) COUNTER.getAcquire(w, offset)).orElse(0L) < count) {
        if (System.nanoTime() - deadline >= 0) {
          throw new TimeoutException(
              "PE %d did not reach the barrier within %d s".formatted(pe, PeGpu.LIMIT.toSeconds()));
        }
        LockSupport.parkNanos(20_000);
      }
    }
  }
}
