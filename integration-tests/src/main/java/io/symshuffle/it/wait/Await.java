// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.wait;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions, up to a limit. */
public final class Await {
  /**
   * How long tests wait for processes, applications and conditions, which takes seconds to few
   * minutes on an idle machine. Only a test that hangs waits that long: many run beside each other,
   * also on machines with few slow cores. JUnit ends a test five minutes later.
   */
  public static final Duration LIMIT = Duration.ofMinutes(40);

  private static final long POLL_MILLIS = 20;

  private Await() {}

  /**
   * Waits until the condition holds.
   *
   * @param what the condition in words, for the message
   * @throws AssertionError naming the condition if it does not hold within {@link #LIMIT}
   */
  public static void until(String what, BooleanSupplier condition) {
    if (!holdsWithin(LIMIT, condition)) {
      throw new AssertionError("condition not met after %s: %s".formatted(LIMIT, what));
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
