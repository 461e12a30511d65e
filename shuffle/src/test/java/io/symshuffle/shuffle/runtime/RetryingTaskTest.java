// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.runtime;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RetryingTaskTest {
  @Test
  void runsAgainAfterAnError() throws InterruptedException {
    CountDownLatch rounds = new CountDownLatch(3);
    try (var scheduler = Executors.newSingleThreadScheduledExecutor()) {
      Runnable failing =
          () -> {
            rounds.countDown();
            throw new InternalError("on purpose");
          };
      var unused =
          scheduler.scheduleWithFixedDelay(
              new RetryingTask("do what fails", failing), 1, 1, TimeUnit.MILLISECONDS);
      assertTrue(rounds.await(60, TimeUnit.SECONDS));
      scheduler.shutdownNow();
    }
  }
}
