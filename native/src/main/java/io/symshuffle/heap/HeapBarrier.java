// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * A barrier through counters in the heads of the PEs' files. For each number of PEs, n, every PE
 * counts in its own head how many barriers of n it has come to; a PE that has come to its k-th
 * waits until the counters of PEs 0 to n - 1 are all k or more. Only the owner writes a counter, so
 * a PE that gives up or dies leaves nothing to be undone, and who is missing can be named.
 */
final class HeapBarrier {
  private static final VarHandle COUNTER = JAVA_LONG.varHandle();

  /** Looks before the thread goes to sleep between looks: some tens of microseconds. */
  private static final int SPINS = 2000;

  private static final long SHORT_SLEEP_NANOS = 20_000;
  private static final long LONG_SLEEP_NANOS = 1_000_000;

  private final int myPe;
  private final IntFunction<Optional<MemorySegment>> heads;
  private final IntPredicate isAlive;

  /** One barrier at a time; the counters and {@link #pending} belong to its holder. */
  private final ReentrantLock turn = new ReentrantLock();

  /** For each number of PEs: whether we have come to a barrier and not left it. */
  private final boolean[] pending = new boolean[HeapHeaderDescriptor.BARRIER_PES + 1];

  /**
   * The barrier of one PE.
   *
   * @param myPe our number
   * @param heads the head of each PE's file, empty while there is none
   * @param isAlive whether a PE's process lives, for the message of a time-out
   */
  HeapBarrier(int myPe, IntFunction<Optional<MemorySegment>> heads, IntPredicate isAlive) {
    this.myPe = myPe;
    this.heads = heads;
    this.isAlive = isAlive;
  }

  void await(int peCount, Duration limit) throws TimeoutException {
    if (peCount <= myPe || peCount > HeapHeaderDescriptor.BARRIER_PES) {
      throw new IllegalArgumentException(
          "PE %d cannot take part in a barrier of %d PEs: it joins PEs 0 to n - 1, n at most %d"
              .formatted(myPe, peCount, HeapHeaderDescriptor.BARRIER_PES));
    }
    turn.lock();
    try {
      long number = arrive(peCount);
      waitForOthers(peCount, number, limit);
      pending[peCount] = false;
    } finally {
      turn.unlock();
    }
  }

  private long arrive(int peCount) {
    MemorySegment head = heads.apply(myPe).orElseThrow();
    long offset = HeapHeaderDescriptor.barrierOffset(peCount);
    long arrived = head.get(JAVA_LONG, offset);
    if (pending[peCount]) {
      return arrived;
    }
    pending[peCount] = true;
    VarHandle.fullFence();
    COUNTER.setRelease(head, offset, arrived + 1);
    return arrived + 1;
  }

  private void waitForOthers(int peCount, long number, Duration limit) throws TimeoutException {
    long start = System.nanoTime();
    int looks = 0;
    for (int pe = 0; pe < peCount; pe++) {
      while (arrivedAcquire(pe, peCount) < number) {
        if (System.nanoTime() - start >= TimeUnit.NANOSECONDS.convert(limit)) {
          throw timeout(peCount, number, limit);
        }
        if (Thread.currentThread().isInterrupted()) {
          throw new IllegalStateException(
              "interrupted in barrier %d of %d PEs while waiting for PE %d"
                  .formatted(number, peCount, pe));
        }
        if (++looks < SPINS) {
          Thread.onSpinWait();
        } else {
          LockSupport.parkNanos(looks < 2 * SPINS ? SHORT_SLEEP_NANOS : LONG_SLEEP_NANOS);
        }
      }
    }
  }

  private long arrivedAcquire(int pe, int peCount) {
    Optional<MemorySegment> head = heads.apply(pe);
    return head.isEmpty()
        ? 0
        : (long) COUNTER.getAcquire(head.get(), HeapHeaderDescriptor.barrierOffset(peCount));
  }

  private TimeoutException timeout(int peCount, long number, Duration limit) {
    List<String> missing = new ArrayList<>();
    for (int pe = 0; pe < peCount; pe++) {
      if (arrivedAcquire(pe, peCount) < number) {
        missing.add(
            heads.apply(pe).isEmpty()
                ? pe + " (has no heap file)"
                : isAlive.test(pe) ? pe + " (alive)" : pe + " (its process is gone)");
      }
    }
    return new TimeoutException(
        "barrier %d of %d PEs is not complete after %d ms at PE %d: %d missing: PE %s"
            .formatted(
                number,
                peCount,
                limit.toMillis(),
                myPe,
                missing.size(),
                String.join(", PE ", missing)));
  }
}
