// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.ffi.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops an application that must not run without device heaps.
 *
 * @param started released when the context is complete: stopped earlier, it fails with an unrelated
 *     error
 */
record ApplicationStop(SparkContext context, CountDownLatch started) {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationStop.class);
  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  /**
   * Logs the reason and stops the application in the background. In local mode the executor's start
   * fails, and the context with it.
   */
  void request(String reason) {
    LOG.error("SymShuffle stops the application: {}", reason);
    if (!context.isLocal()) {
      DaemonThreads.start("symshuffle-stop", this::stop);
    }
  }

  private void stop() {
    try {
      if (!started.await(START_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        LOG.warn("Stopping the application although its start has not finished");
      }
      context.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
