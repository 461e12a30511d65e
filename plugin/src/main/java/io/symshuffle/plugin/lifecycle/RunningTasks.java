// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The threads that run tasks. Spark stops an executor while tasks still run, and a heap must not be
 * unmapped under a task that reads it in place: it would read zeros for rows.
 */
final class RunningTasks {
  // Threads, not a count: Spark also reports the end of tasks whose start it did not report.
  @GuardedBy("this")
  private final Set<Thread> threads = new HashSet<>();

  /** The calling thread begins a task. */
  synchronized void begin() {
    threads.add(Thread.currentThread());
  }

  /** The calling thread ends its task. */
  synchronized void end() {
    threads.remove(Thread.currentThread());
    if (threads.isEmpty()) {
      notifyAll();
    }
  }

  synchronized boolean areRunning() {
    return !threads.isEmpty();
  }

  /** Waits until no task runs; returns whether that happened within the limit. */
  synchronized boolean awaitNone(Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      threads.removeIf(thread -> !thread.isAlive());
      if (threads.isEmpty()) {
        return true;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
    }
  }
}
