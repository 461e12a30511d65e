// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops an application that does not want to run as it would have to.
 *
 * @param context the application
 * @param started open once the context is whole: one that is stopped while it is still made fails
 *     with anything but the reason
 */
record ApplicationStop(SparkContext context, CountDownLatch started) {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationStop.class);
  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  ApplicationStop {
    requireNonNull(context, "context is null");
    requireNonNull(started, "started is null");
  }

  /**
   * Says why and stops; returns at once. In local mode the executor's start fails, and with it the
   * context.
   */
  void because(String reason) {
    LOG.error("SymShuffle stops the application: {}", reason);
    if (!context.isLocal()) {
      Thread.ofPlatform().daemon().name("symshuffle-stop").start(this::stop);
    }
  }

  private void stop() {
    try {
      if (!started.await(START_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        LOG.warn("The application is stopped although its start has not ended");
      }
      context.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
