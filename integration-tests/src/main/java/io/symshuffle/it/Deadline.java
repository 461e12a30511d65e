// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs code in a thread of its own, so that the caller goes on even if the code never ends. */
final class Deadline {
  private Deadline() {}

  /**
   * Runs the code.
   *
   * @throws TimeoutException if it is not done within the limit; it still runs then
   * @throws Throwable what the code threw
   */
  static <T> T call(Callable<T> code, Duration limit) throws Throwable {
    FutureTask<T> task = new FutureTask<>(code);
    // A child of the caller's thread: it inherits Spark's active session and local properties.
    Thread thread = new Thread(task, Thread.currentThread().getName() + "-with-deadline");
    thread.setDaemon(true);
    thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
    thread.start();
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause();
    } catch (TimeoutException e) {
      TimeoutException located =
          new TimeoutException("not done after %d s; it is here".formatted(limit.toSeconds()));
      located.setStackTrace(thread.getStackTrace());
      throw located;
    }
  }

  /** Whether the code was done within the limit; what it throws passes. */
  static boolean runs(Runnable code, Duration limit) {
    try {
      call(
          () -> {
            code.run();
            return null;
          },
          limit);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a Runnable threw a checked exception", e);
    }
  }
}
