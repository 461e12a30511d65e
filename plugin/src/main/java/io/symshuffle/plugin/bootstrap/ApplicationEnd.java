// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What an executor knows about whether its application goes on without it. */
final class ApplicationEnd {
  private final CountDownLatch known = new CountDownLatch(1);
  private volatile boolean announced;

  /** The driver says that the application ends. */
  void announced() {
    announced = true;
    known.countDown();
  }

  /** The connection to the driver is gone; the application may go on, but not with us. */
  void driverGone() {
    known.countDown();
  }

  /** Whether the driver said that the application ends: nobody needs any heap any more. */
  boolean isAnnounced() {
    return announced;
  }

  /**
   * Waits for news of the end. The driver announces it just before it tells its executors to stop,
   * but on another way, so the news may be a moment behind.
   *
   * @return whether the application ends, or the driver is gone
   */
  boolean await(Duration limit) throws InterruptedException {
    return known.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }
}
