// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.wait;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs code in its own thread, so that the caller continues even if the code never ends. */
public final class Deadline {
  private Deadline() {}

  /**
   * Runs the code.
   *
   * @throws TimeoutException if the code is still running after the limit; it is not stopped
   * @throws Throwable what the code threw
   */
  public static <T> T call(Callable<T> code, Duration limit) throws Throwable {
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
          new TimeoutException(
              "still running after %d s; the stack trace shows where".formatted(limit.toSeconds()));
      located.setStackTrace(thread.getStackTrace());
      throw located;
    }
  }

  /** Runs the code and passes on any exception that it throws. */
  public static boolean runs(Runnable code, Duration limit) {
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
