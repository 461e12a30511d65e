// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Watches for the end of this process until its executor runs tasks. Spark tells plugins of the end
 * only once all of them have started, so that a heap made before would stay behind.
 *
 * <p>Thread-safe.
 */
final class EndDuringStart implements AutoCloseable {
  /**
   * What a start may still take. Spark's standalone workers and Kubernetes wait longer before they
   * kill a process; where YARN does not (250 ms), the next sweep removes what is left.
   */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** Where threads are registered that run when the process ends, like {@link Runtime}'s. */
  interface Hooks {
    /**
     * Registers a thread.
     *
     * @throws IllegalStateException if the process ends already
     */
    void add(Thread hook);

    /**
     * Takes it back.
     *
     * @throws IllegalStateException if the process ends already
     */
    void remove(Thread hook);

    /** Those of this process. */
    static Hooks ofProcess() {
      Runtime process = Runtime.getRuntime();
      return new Hooks() {
        @Override
        public void add(Thread hook) {
          process.addShutdownHook(hook);
        }

        @Override
        public void remove(Thread hook) {
          process.removeShutdownHook(hook);
        }
      };
    }
  }

  private final Hooks hooks;
  private final Runnable shutdown;
  private final Thread hook = new Thread(this::end, "symshuffle-end-during-start");
  private final CountDownLatch started = new CountDownLatch(1);
  private volatile boolean ending;

  /**
   * Starts to watch.
   *
   * @param shutdown what ends the plugin once its start is through
   */
  EndDuringStart(Hooks hooks, Runnable shutdown) {
    this.hooks = requireNonNull(hooks, "hooks is null");
    this.shutdown = requireNonNull(shutdown, "shutdown is null");
    try {
      hooks.add(hook);
    } catch (IllegalStateException _) {
      ending = true;
    }
  }

  /** Whether the process ends: a start that has not made a heap yet need not make one. */
  boolean isEnding() {
    return ending;
  }

  /** Our start is through, others' may go on: from here on the end need not wait. */
  void started() {
    started.countDown();
  }

  /** From here on Spark tells the plugin of the end. */
  @Override
  public void close() {
    started();
    try {
      hooks.remove(hook);
    } catch (IllegalStateException _) {
      // The end came before: the hook ends the plugin.
    }
  }

  private void end() {
    ending = true;
    try {
      if (started.await(LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
        shutdown.run();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
