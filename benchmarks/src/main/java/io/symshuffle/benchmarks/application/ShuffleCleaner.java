// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import java.time.Duration;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.SparkListenerEvent;
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
  private static final Duration PAUSE = Duration.ofMillis(10);

  /** Spark needs few of them after a collection that finds all plans. */
  private static final int PAUSES_PER_COLLECTION = 20;

  private ShuffleCleaner() {}

  /** Collects garbage until no shuffle is registered, for at most five seconds. */
  static void clean(SparkContext context) throws InterruptedException {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    long start = System.nanoTime();
    long end = start + LIMIT.toNanos();
    int pauses = 0;
    // The threads of the listener bus keep the last event, which is the end of the query and holds
    // its plan, until they get another one.
    context.listenerBus().post(new Displacement());
    while (!tracker.shuffleStatuses().isEmpty() && System.nanoTime() < end) {
      if (pauses++ % PAUSES_PER_COLLECTION == 0) {
        System.gc();
      }
      Thread.sleep(PAUSE);
    }
    LOG.info(
        "{} shuffles remain after cleaning for {} ms",
        tracker.shuffleStatuses().size(),
        Duration.ofNanos(System.nanoTime() - start).toMillis());
  }

  /** An event that means nothing to any listener. */
  private record Displacement() implements SparkListenerEvent {
    @Override
    public boolean logEvent() {
      return false;
    }
  }
}
