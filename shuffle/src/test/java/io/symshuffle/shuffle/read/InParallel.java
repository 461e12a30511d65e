// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs the parts of a test in parallel, and stops all of them when one fails or time is up. */
public final class InParallel {
  private static final long LIMIT_SECONDS = 60;

  private InParallel() {}

  /** A part of a test. */
  @FunctionalInterface
  public interface Part {
    /** Works until it is done or {@code stop} is set. */
    void run(AtomicBoolean stop) throws Exception;
  }

  /**
   * Runs all parts; {@code stop} is set as soon as the first part returns or fails.
   *
   * @throws AssertionError if a part does not end within a minute
   */
  public static void run(Part... parts) throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory());
    try {
      ExecutorCompletionService<Void> ended = new ExecutorCompletionService<>(threads);
      for (Part part : parts) {
        ended.submit(
            () -> {
              part.run(stop);
              return null;
            });
      }
      for (int i = 0; i < parts.length; i++) {
        Future<Void> next = ended.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
          throw new AssertionError("a thread has not ended in %d s".formatted(LIMIT_SECONDS));
        }
        stop.set(true);
        next.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e;
    } finally {
      stop.set(true);
      threads.shutdownNow();
    }
  }

  /** Runs an action on another thread and throws what it throws. */
  public static void onAnotherThread(Runnable action) throws Exception {
    try {
      run(stop -> action.run());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException thrown) {
        throw thrown;
      }
      throw e;
    }
  }
}
