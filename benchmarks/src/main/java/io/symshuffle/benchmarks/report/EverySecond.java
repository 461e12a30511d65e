// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Runs an action every second on a background thread until it is closed. */
public final class EverySecond implements AutoCloseable {
  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(
          task -> Thread.ofPlatform().daemon().name("every-second").unstarted(task));

  private final ScheduledFuture<?> task;

  /**
   * Starts.
   *
   * @param action runs first after a second; an exception ends the repetition
   */
  public EverySecond(Runnable action) {
    this.task = TIMER.scheduleWithFixedDelay(action, 1, 1, TimeUnit.SECONDS);
  }

  /** Ends without waiting for a running action. */
  @Override
  public void close() {
    task.cancel(false);
  }
}
