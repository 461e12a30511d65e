// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates all threads that run inside of Spark's processes. They are daemons, and what they throw
 * is logged: Spark ends an executor for an exception that no thread catches.
 */
public final class DaemonThreads {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonThreads.class);

  private DaemonThreads() {}

  /**
   * Creates a thread.
   *
   * @param name its name, for thread dumps and messages
   */
  public static Thread unstarted(String name, Runnable action) {
    return Thread.ofPlatform()
        .daemon()
        .name(name)
        .uncaughtExceptionHandler(DaemonThreads::ended)
        .unstarted(action);
  }

  /**
   * Starts a thread.
   *
   * @param name its name, for thread dumps and messages
   */
  public static Thread start(String name, Runnable action) {
    Thread thread = unstarted(name, action);
    thread.start();
    return thread;
  }

  /** Returns a factory for the threads of an executor service. */
  public static ThreadFactory factory(String name) {
    return action -> unstarted(name, action);
  }

  private static void ended(Thread thread, Throwable failure) {
    LOG.error("The thread {} ended because of an unexpected error", thread.getName(), failure);
  }
}
