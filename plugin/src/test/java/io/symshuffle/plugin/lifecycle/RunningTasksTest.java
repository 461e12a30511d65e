// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RunningTasksTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final RunningTasks tasks = new RunningTasks();

  @Test
  void ignoresTheEndOfATaskWithoutReportedStart() throws Exception {
    tasks.end();
    assertTrue(tasks.awaitNone(Duration.ZERO));
  }

  @Test
  void waitsUntilTheLastTaskHasEnded() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
      Future<?> task =
          pool.submit(
              () -> {
                tasks.begin();
                begun.countDown();
                mayEnd.await();
                tasks.end();
                return null;
              });
      assertTrue(begun.await(2, TimeUnit.MINUTES));
      assertFalse(tasks.awaitNone(Duration.ZERO));
      assertFalse(tasks.awaitNone(Duration.ofMillis(1)));
      Future<Boolean> waiting = pool.submit(() -> tasks.awaitNone(LONG));
      mayEnd.countDown();
      assertTrue(waiting.get(2, TimeUnit.MINUTES));
      task.get(2, TimeUnit.MINUTES);
    }
  }

  @Test
  void ignoresThreadsThatDiedInATask() throws Exception {
    Thread thread = Thread.ofPlatform().start(tasks::begin);
    thread.join(LONG);
    assertTrue(tasks.awaitNone(Duration.ZERO));
  }
}
