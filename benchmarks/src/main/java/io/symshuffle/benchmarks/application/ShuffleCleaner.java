// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import java.time.Duration;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the shuffles of finished queries. Spark does this when the driver's garbage collector
 * finds their plans unreachable, which may not happen in a short run. Unused shuffles would then
 * fill heaps and disks, at a different cost for each manager.
 */
final class ShuffleCleaner {
  private static final Logger LOG = LoggerFactory.getLogger(ShuffleCleaner.class);
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(50);

  private ShuffleCleaner() {}

  /** Collects garbage until no shuffle is registered, for at most five seconds. */
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
        "{} shuffles remain after cleaning for {} ms",
        tracker.shuffleStatuses().size(),
        Duration.ofNanos(System.nanoTime() - start).toMillis());
  }
}
