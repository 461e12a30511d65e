// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.ffi.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Shuts the plugin down if the process ends before its executor runs tasks. Spark shuts plugins
 * down only after all of them have started, so a heap created earlier would be left behind.
 *
 * <p>Thread-safe.
 */
final class StartupShutdownHook implements AutoCloseable {
  /**
   * How long to wait for the start to finish. Spark's standalone workers and Kubernetes wait longer
   * before they kill a process; YARN does not (250 ms), and the next sweep removes what is left.
   */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** Registers threads that run when the process ends, like {@link Runtime}. */
  interface Hooks {
    /**
     * Registers a thread.
     *
     * @throws IllegalStateException if the process is already ending
     */
    void add(Thread hook);

    /**
     * Unregisters a thread.
     *
     * @throws IllegalStateException if the process is already ending
     */
    void remove(Thread hook);

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
  private final Thread hook = DaemonThreads.unstarted("symshuffle-startup-shutdown", this::end);
  private final CountDownLatch started = new CountDownLatch(1);
  private volatile boolean ending;

  /**
   * Starts to watch.
   *
   * @param shutdown shuts the plugin down after its start
   */
  StartupShutdownHook(Hooks hooks, Runnable shutdown) {
    this.hooks = hooks;
    this.shutdown = shutdown;
    try {
      hooks.add(hook);
    } catch (IllegalStateException ignored) {
      ending = true;
    }
  }

  /** Returns whether the process is ending, so that no heap needs to be created. */
  boolean isEnding() {
    return ending;
  }

  /** Our start is finished: from now on the shutdown need not wait for it. */
  void started() {
    started.countDown();
  }

  /** Stops watching: from now on Spark shuts the plugin down. */
  @Override
  public void close() {
    started();
    try {
      hooks.remove(hook);
    } catch (IllegalStateException ignored) {
      // The process is ending: the hook shuts the plugin down.
    }
  }

  private void end() {
    ending = true;
    try {
      if (started.await(LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
        shutdown.run();
      }
    } catch (InterruptedException ignored) {
      Thread.currentThread().interrupt();
    }
  }
}
