// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.ffi.DaemonThreads;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The only thread that calls NVSHMEM, with a timeout for its callers. A call that times out can be
 * neither interrupted nor undone: the thread is lost for good, and all further calls fail
 * immediately with the first reason.
 */
final class OwnerThread implements AutoCloseable {
  private final BlockingQueue<FutureTask<?>> tasks = new LinkedBlockingQueue<>();
  private final Thread thread;

  @GuardedBy("this")
  private String lost;

  OwnerThread(String name) {
    thread = DaemonThreads.unstarted(name, this::serve);
    thread.start();
  }

  boolean isCurrent() {
    return Thread.currentThread().equals(thread);
  }

  synchronized Optional<String> lost() {
    return Optional.ofNullable(lost);
  }

  /** Refuses all further calls; the first reason is kept. */
  synchronized void lose(String reason) {
    if (lost == null) {
      lost = reason;
    }
  }

  /**
   * Runs work on the thread and waits for it, even if interrupted, since a collective cannot be
   * abandoned halfway.
   *
   * @param what a description for messages
   * @param limit timeout, which includes waiting for earlier calls
   */
  <T> T call(String what, Duration limit, Callable<T> work) {
    refuseIfLost(what);
    FutureTask<T> task = new FutureTask<>(work);
    if (isCurrent()) {
      task.run();
    } else {
      tasks.add(task);
    }
    return await(task, what, limit);
  }

  private void refuseIfLost(String what) {
    lost()
        .ifPresent(
            reason -> {
              throw new NvshmemException(
                  what + " is refused, since NVSHMEM is no longer used in this process: " + reason);
            });
  }

  private <T> T await(FutureTask<T> task, String what, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          String reason =
              "%s did not return within %d ms: a PE is missing or dead"
                  .formatted(what, limit.toMillis());
          lose(reason);
          throw new NvshmemException(
              reason
                  + "; NVSHMEM is no longer used in this process, and resources that the call holds"
                  + " are freed only when the process ends",
              e);
        } catch (ExecutionException e) {
          throw rethrown(e.getCause(), what);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static RuntimeException rethrown(Throwable cause, String what) {
    if (cause instanceof RuntimeException e) {
      e.addSuppressed(new NvshmemException(what + " was called here"));
      return e;
    }
    if (cause instanceof Error e) {
      throw e;
    }
    return new NvshmemException(what + " failed", cause);
  }

  private void serve() {
    try {
      while (true) {
        tasks.take().run();
      }
    } catch (InterruptedException e) {
      lose("the runtime was closed");
    }
  }

  @Override
  public void close() {
    lose("the runtime was closed");
    thread.interrupt();
  }
}
