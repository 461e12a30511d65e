// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle;

import static java.util.Objects.requireNonNull;

import java.util.function.IntPredicate;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkEnv;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What Spark's driver believes about map outputs. With {@link SymShuffleDataIO} the scheduler keeps
 * those of a lost executor; here those are taken out that nobody can read any more, so that Spark
 * computes exactly these again.
 */
public final class TrackedOutputs {
  private TrackedOutputs() {}

  /**
   * Takes an executor's map outputs out of Spark's table. Any thread of the driver may call it:
   * Spark's table has its own locks, and its scheduler looks at the table each time that a stage
   * ends or starts.
   *
   * @param executorId whose
   * @param shuffles of which shuffles
   * @return how many there were
   */
  public static int unregister(String executorId, IntPredicate shuffles) {
    requireNonNull(executorId, "executorId is null");
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
    if (removed > 0) {
      // Executors compare it with what they have remembered.
      tracker.incrementEpoch();
    }
    return removed;
  }

  /**
   * Whether a shuffle goes through the symmetric heap.
   *
   * @return false for the sort shuffle's, and when the application has no shuffle manager of ours
   */
  public static boolean isOurs(int shuffleId) {
    SparkEnv env = SparkEnv.get();
    return env != null
        && env.shuffleManager() instanceof SymShuffleManager manager
        && manager.serves(shuffleId);
  }
}
