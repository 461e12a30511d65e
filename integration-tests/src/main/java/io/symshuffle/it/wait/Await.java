// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.wait;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions, up to a limit. */
public final class Await {
  private static final long POLL_MILLIS = 20;

  private Await() {}

  /**
   * Waits until the condition holds.
   *
   * @param what the condition in words, for the message
   * @throws AssertionError naming the condition if it does not hold within the limit
   */
  public static void until(String what, Duration limit, BooleanSupplier condition) {
    if (!holdsWithin(limit, condition)) {
      throw new AssertionError(
          "condition not met after %d ms: %s".formatted(limit.toMillis(), what));
    }
  }

  /** Waits until the condition holds or the limit or an interrupt ends the wait. */
  public static boolean holdsWithin(Duration limit, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return condition.getAsBoolean();
      }
    }
    return true;
  }
}
