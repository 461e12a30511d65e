// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Says what a command waits for if that takes 10 seconds or more: on a terminal in the last line,
 * with the time so far; elsewhere on the standard error, after 10 seconds and then once a minute.
 */
public final class Waiting implements AutoCloseable {
  static final long FIRST_SECONDS = 10;
  private static final long NEXT_SECONDS = 60;

  private final Console console;
  private final Supplier<String> what;
  private final Optional<EverySecond> clock;
  private long seconds;
  private boolean closed;

  /**
   * @param ticks whether this object calls {@link #tick} itself
   */
  Waiting(Console console, Supplier<String> what, boolean ticks) {
    this.console = console;
    this.what = what;
    this.clock = ticks ? Optional.of(new EverySecond(this::tick)) : Optional.empty();
  }

  /** Counts the time from now on, because there was progress. */
  public synchronized void restart() {
    seconds = 0;
  }

  /** Called every second. */
  synchronized void tick() {
    seconds++;
    if (closed || seconds < FIRST_SECONDS) {
      return;
    }
    boolean due = seconds == FIRST_SECONDS || seconds % NEXT_SECONDS == 0;
    console.waiting("Waiting %d s for %s".formatted(seconds, what.get()), due);
  }

  @Override
  public synchronized void close() {
    clock.ifPresent(EverySecond::close);
    if (!closed && seconds >= FIRST_SECONDS) {
      console.waiting("", false);
    }
    closed = true;
  }
}
