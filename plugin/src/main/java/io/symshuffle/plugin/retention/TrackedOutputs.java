// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.retention;

import io.symshuffle.shuffle.SymShuffleManager;
import java.util.function.IntPredicate;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkEnv;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Access to the map outputs that Spark's driver tracks. With {@link SymShuffleDataIO}, the
 * scheduler keeps those of a lost executor; this class unregisters the ones that no executor can
 * read anymore, so that Spark recomputes exactly these.
 */
public final class TrackedOutputs {
  private TrackedOutputs() {}

  /**
   * Unregisters an executor's map outputs. Any thread of the driver may call it: Spark's tracker
   * has its own locks, and its scheduler checks the tracker whenever a stage starts or ends.
   *
   * @param shuffles selects the shuffles
   * @return the number of map outputs that were unregistered
   */
  public static int unregister(String executorId, IntPredicate shuffles) {
    SparkEnv env = SparkEnv.get();
    if (env == null || !(env.mapOutputTracker() instanceof MapOutputTrackerMaster tracker)) {
      return 0;
    }
    int removed = 0;
    for (var entry : CollectionConverters.asJava(tracker.shuffleStatuses()).entrySet()) {
      if (shuffles.test((int) entry.getKey())) {
        ShuffleStatus status = entry.getValue();
        int before = status.numAvailableMapOutputs();
        status.removeOutputsOnExecutor(executorId);
        removed += Math.max(0, before - status.numAvailableMapOutputs());
      }
    }
    // Makes executors drop the statuses that they have cached, also if none was removed: map
    // outputs
    // of a decommissioned executor have moved to other executors.
    tracker.incrementEpoch();
    return removed;
  }

  /**
   * Whether a shuffle uses the symmetric heap.
   *
   * @return false for Spark's sort shuffle, and if the application uses another shuffle manager
   */
  public static boolean isOurs(int shuffleId) {
    SparkEnv env = SparkEnv.get();
    return env != null
        && env.shuffleManager() instanceof SymShuffleManager manager
        && manager.isOurs(shuffleId);
  }
}
