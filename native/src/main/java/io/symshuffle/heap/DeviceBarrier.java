// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The barrier of {@link HeapBarrier} through counters in device memory, which the host reads and
 * writes by copies: tens of microseconds a look. NVSHMEM's own barrier is not bounded, and this one
 * is: a PE that gives up or dies leaves nothing to be undone, and who is missing can be named.
 */
final class DeviceBarrier {
  private static final long SHORT_NAP_NANOS = 20_000;
  private static final long LONG_NAP_NANOS = 500_000;
  private static final int SHORT_NAPS = 500;

  /** Reads and writes a PE's counter. */
  interface Counters {
    void read(int pe, long offset, MemorySegment to);

    void write(long offset, MemorySegment from);
  }

  private final int myPe;
  private final int mostPes;
  private final Counters counters;

  /** One barrier at a time; the fields below belong to its holder. */
  private final ReentrantLock turn = new ReentrantLock();

  /** For each number of PEs: barriers come to, and whether the last was not left yet. */
  private final long[] arrived;

  private final boolean[] pending;

  DeviceBarrier(int myPe, int mostPes, Counters counters) {
    this.myPe = myPe;
    this.mostPes = Math.min(mostPes, DeviceArenaDescriptor.BARRIER_PES);
    this.counters = counters;
    this.arrived = new long[this.mostPes + 1];
    this.pending = new boolean[this.mostPes + 1];
  }

  void await(int peCount, Duration limit) throws TimeoutException {
    if (peCount <= myPe || peCount > mostPes) {
      throw new IllegalArgumentException(
          "PE %d cannot take part in a barrier of %d PEs: it joins PEs 0 to n - 1, n at most %d"
              .formatted(myPe, peCount, mostPes));
    }
    turn.lock();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_LONG);
      if (!pending[peCount]) {
        number.set(JAVA_LONG, 0, arrived[peCount] + 1);
        counters.write(DeviceArenaDescriptor.counterOffset(peCount), number);
        arrived[peCount]++;
        pending[peCount] = true;
      }
      waitForOthers(peCount, limit, number);
      pending[peCount] = false;
    } finally {
      turn.unlock();
    }
  }

  private void waitForOthers(int peCount, Duration limit, MemorySegment seen)
      throws TimeoutException {
    long start = System.nanoTime();
    int looks = 0;
    for (int pe = 0; pe < peCount; pe++) {
      while (pe != myPe && read(pe, peCount, seen) < arrived[peCount]) {
        if (System.nanoTime() - start >= limit.toNanos()) {
          throw timeout(peCount, limit, seen);
        }
        if (Thread.currentThread().isInterrupted()) {
          throw new IllegalStateException(
              "interrupted in barrier %d of %d PEs while waiting for PE %d"
                  .formatted(arrived[peCount], peCount, pe));
        }
        LockSupport.parkNanos(looks++ < SHORT_NAPS ? SHORT_NAP_NANOS : LONG_NAP_NANOS);
      }
    }
  }

  private long read(int pe, int peCount, MemorySegment to) {
    counters.read(pe, DeviceArenaDescriptor.counterOffset(peCount), to);
    return to.get(JAVA_LONG, 0);
  }

  private TimeoutException timeout(int peCount, Duration limit, MemorySegment seen) {
    List<String> missing = new ArrayList<>();
    for (int pe = 0; pe < peCount; pe++) {
      if (pe != myPe && read(pe, peCount, seen) < arrived[peCount]) {
        missing.add(Integer.toString(pe));
      }
    }
    return new TimeoutException(
        "barrier %d of %d PEs is not complete after %d ms at PE %d: %d missing: PE %s"
            .formatted(
                arrived[peCount],
                peCount,
                limit.toMillis(),
                myPe,
                missing.size(),
                String.join(", PE ", missing)));
  }
}
