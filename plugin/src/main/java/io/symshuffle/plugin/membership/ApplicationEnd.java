// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.membership;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What an executor knows about the end of its application. */
public final class ApplicationEnd {
  private final CountDownLatch known = new CountDownLatch(1);
  private volatile boolean announced;

  /** The driver announced the end of the application. */
  public void announced() {
    announced = true;
    known.countDown();
  }

  /** The connection to the driver is lost; the application may continue, but not with us. */
  public void driverGone() {
    known.countDown();
  }

  /** Returns whether the driver announced the end, so that nobody needs the heaps anymore. */
  public boolean isAnnounced() {
    return announced;
  }

  /**
   * Waits for the announcement. The driver sends it just before it tells its executors to stop, but
   * over another connection, so it may arrive a moment later.
   *
   * @return whether the application ends or the driver is gone
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean await(Duration limit) throws InterruptedException {
    return known.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }
}
