// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.retention;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.membership.MembershipListener;
import io.symshuffle.plugin.membership.Message.StartReport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whose map outputs outlive their executor, and removes the others from Spark's table.
 * Spark itself does not remove them, since the plugin declares that shuffle data outlives
 * executors. A lost executor's heap stays in place, so its map outputs are kept as long as a living
 * executor sees the folder that contains them, which then sends them to other hosts, or no executor
 * is left. Map outputs of the sort shuffle are always removed, as Spark would.
 *
 * <p>Thread-safe.
 */
public final class LostExecutorOutputs implements MembershipListener {
  /** The setting by which Spark learns whether shuffle data outlives executors. */
  static final String DATA_IO_KEY = "spark.shuffle.sort.io.plugin.class";

  private static final Logger LOG = LoggerFactory.getLogger(LostExecutorOutputs.class);

  /** Spark's table of map outputs. */
  @FunctionalInterface
  public interface Table {
    /**
     * Removes map outputs of an executor.
     *
     * @param ours true for our shuffles, false for those of the sort shuffle
     * @return how many there were
     */
    int unregister(String executorId, boolean ours);
  }

  /** Removes what Spark's scheduler would remove if there had never been a shuffle service. */
  private static final class NothingSurvives implements MembershipListener {
    @Override
    public void lost(String executorId) {
      TrackedOutputs.unregister(executorId, id -> true);
    }
  }

  private final Table table;

  /** The folders of the executors that are alive and have started. */
  @GuardedBy("this")
  private final Map<String, String> living = new HashMap<>();

  /** The folders of lost executors whose map outputs are kept. */
  @GuardedBy("this")
  private final Map<String, String> kept = new HashMap<>();

  /**
   * The executors that were lost before they reported a start; their reports may still arrive. Also
   * those whose start had failed.
   */
  @GuardedBy("this")
  private final Set<String> lostBefore = new HashSet<>();

  public LostExecutorOutputs(Table table) {
    this.table = table;
  }

  /**
   * Tells Spark that map outputs outlive executors, if they do: heaps must be mapped, and Spark's
   * setting must be free.
   *
   * @param conf the application's settings, before Spark reads this one
   * @param serviceWasOn whether the driver's scheduler still believes that an external shuffle
   *     service has the map outputs of lost executors, since the application had asked for one
   * @return what handles lost executors from now on; empty if Spark does
   */
  public static Optional<MembershipListener> install(
      SparkConf conf, SymShuffleConfig config, boolean serviceWasOn) {
    if (!config.peerMapping()) {
      LOG.info(
          "{} is false: Spark recomputes the map outputs of lost executors",
          Settings.READ_PEER_MAPPING.key());
      return serviceWasOn ? Optional.of(new NothingSurvives()) : Optional.empty();
    }
    String ours = SymShuffleDataIO.class.getName();
    String chosen = conf.get(DATA_IO_KEY, ours);
    if (!chosen.equals(ours)) {
      LOG.info(
          "{} is set to '{}': Spark recomputes the map outputs of lost executors, although other"
              + " executors could read them",
          DATA_IO_KEY,
          chosen);
      return serviceWasOn ? Optional.of(new NothingSurvives()) : Optional.empty();
    }
    conf.set(DATA_IO_KEY, ours);
    return Optional.of(
        new LostExecutorOutputs(
            (executorId, isOurs) ->
                TrackedOutputs.unregister(executorId, id -> TrackedOutputs.isOurs(id) == isOurs)));
  }

  @Override
  public synchronized void started(StartReport report) {
    if (report.hasFailed() || lostBefore.contains(report.executorId())) {
      // As a living one without the folder, it would make everything unreadable from now on.
      return;
    }
    living.put(report.executorId(), report.heapFolder());
    removeUnreadable();
  }

  @Override
  public synchronized void lost(String executorId) {
    int files = table.unregister(executorId, false);
    if (files > 0) {
      LOG.info(
          "{} map outputs of the sort shuffle were lost with executor {}; Spark recomputes them"
              + " when they are needed",
          files,
          executorId);
    }
    if (kept.containsKey(executorId)) {
      // Reported a second time.
      return;
    }
    String folder = living.remove(executorId);
    if (folder == null) {
      lostBefore.add(executorId);
    }
    if (folder == null || folder.isEmpty()) {
      remove(executorId);
      return;
    }
    kept.put(executorId, folder);
    removeUnreadable();
  }

  @GuardedBy("this")
  private void removeUnreadable() {
    for (String executorId : List.copyOf(kept.keySet())) {
      String folder = kept.get(executorId);
      if (!living.isEmpty() && !living.containsValue(folder)) {
        kept.remove(executorId);
        remove(executorId);
      }
    }
  }

  private void remove(String executorId) {
    int outputs = table.unregister(executorId, true);
    if (outputs > 0) {
      LOG.info(
          "No other executor can read {} map outputs in the heap of lost executor {}; Spark"
              + " recomputes them when they are needed",
          outputs,
          executorId);
    }
  }
}
