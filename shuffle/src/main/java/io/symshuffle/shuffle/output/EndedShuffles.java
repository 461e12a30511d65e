// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The shuffles that ended last. Spark may run a shuffle again under the same id, but with new task
 * ids, which only increase. So for each shuffle this remembers the highest task id at its end:
 * later map outputs are those of a new run.
 *
 * <p>Thread-safe.
 */
public final class EndedShuffles {
  /** How many shuffles are remembered. */
  public static final int MAX_SHUFFLES = 4096;

  /** Highest task ids by shuffle; the shuffle that ended last is last. */
  @GuardedBy("this")
  private final Map<Integer, Long> lastTasks = new LinkedHashMap<>();

  /**
   * Adds a shuffle.
   *
   * @param lastTaskId the highest id of a task that Spark started before the shuffle ended
   */
  public synchronized void add(int shuffleId, long lastTaskId) {
    Long earlier = lastTasks.remove(shuffleId);
    lastTasks.put(shuffleId, earlier == null ? lastTaskId : Math.max(earlier, lastTaskId));
    if (lastTasks.size() > MAX_SHUFFLES) {
      lastTasks.remove(lastTasks.keySet().iterator().next());
    }
  }

  /** Whether the shuffle of a map output ended after the map task was started. */
  public synchronized boolean contains(MapOutputId id) {
    Long lastTask = lastTasks.get(id.shuffleId());
    return lastTask != null && id.mapId() <= lastTask;
  }

  /** A copy: the highest task ids by shuffle, in the order in which the shuffles ended. */
  public synchronized Map<Integer, Long> copy() {
    return new LinkedHashMap<>(lastTasks);
  }
}
