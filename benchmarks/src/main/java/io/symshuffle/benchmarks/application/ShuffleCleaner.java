// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import java.time.Duration;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees the shuffles of queries that are done. Spark does so when the garbage collector of the
 * driver finds their plans dead, which may be never in a short run: then heaps and disks fill up
 * with what nobody reads any more, and each manager pays for it in its own way.
 */
final class ShuffleCleaner {
  private static final Logger LOG = LoggerFactory.getLogger(ShuffleCleaner.class);
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(50);

  private ShuffleCleaner() {}

  /** Collects garbage until no shuffle is registered, for five seconds at most. */
  static void clean() throws InterruptedException {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    long start = System.nanoTime();
    long end = start + LIMIT.toNanos();
    int round = 0;
    while (!tracker.shuffleStatuses().isEmpty() && System.nanoTime() < end) {
      if (round++ % 10 == 0) {
        System.gc();
      }
      Thread.sleep(PAUSE);
    }
    LOG.info(
        "{} shuffles are left after cleaning for {} ms",
        tracker.shuffleStatuses().size(),
        Duration.ofNanos(System.nanoTime() - start).toMillis());
  }
}
