// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The limit of a wait that starts now, with a message in the log after 10 s. Not thread-safe. */
final class WaitLimit {
  private static final Logger LOG = LoggerFactory.getLogger(WaitLimit.class);
  private static final long MESSAGE_NANOS = Duration.ofSeconds(10).toNanos();

  private final long start = System.nanoTime();
  private final Duration limit;
  private final String waiter;
  private final Object others;
  private final String call;
  private boolean said;

  /**
   * @param waiter the PE that waits
   * @param others what it waits for
   * @param call in which it waits
   */
  WaitLimit(Duration limit, String waiter, Object others, String call) {
    this.limit = limit;
    this.waiter = waiter;
    this.others = others;
    this.call = call;
  }

  /** Returns nanoseconds. */
  long waited() {
    return System.nanoTime() - start;
  }

  /** Throws an exception if the limit is over. */
  void check() {
    long waited = waited();
    if (waited > limit.toNanos()) {
      throw new SymmetricMemoryException(
          "%s has waited %d s for %s in %s: if others are only slow, open the memory with a longer limit"
              .formatted(waiter, limit.toSeconds(), others, call));
    }
    if (waited > MESSAGE_NANOS && !said) {
      said = true;
      LOG.warn(
          "{} has waited {} s for {} in {}; it fails after {} s",
          waiter,
          waited / 1_000_000_000,
          others,
          call,
          limit.toSeconds());
    }
  }
}
