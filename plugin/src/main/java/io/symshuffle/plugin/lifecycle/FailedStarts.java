// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.plugin.membership.MembershipListener;
import io.symshuffle.plugin.membership.Message.StartReport;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Sends no tasks to executors on which SymShuffle could not start, as soon as it has started on
 * another one. Otherwise each would fail its tasks at once, take the next ones, and fail jobs that
 * the others could finish. While there is no other one, their tasks fail with the reason, instead
 * of waiting for an executor that may never come. Thread-safe.
 */
final class FailedStarts implements MembershipListener {
  private static final Logger LOG = LoggerFactory.getLogger(FailedStarts.class);

  private final BiConsumer<String, String> exclude;

  /** Those that failed, by Spark's id, with the reason; without those that are excluded. */
  @GuardedBy("this")
  private final Map<String, String> failed = new TreeMap<>();

  @GuardedBy("this")
  private final Set<String> working = new HashSet<>();

  /** The executors that were lost before they reported; their reports may still arrive. */
  @GuardedBy("this")
  private final Set<String> lostBefore = new HashSet<>();

  /**
   * @param exclude gets Spark's id of an executor that must not get more tasks, and the reason;
   *     must not wait
   */
  FailedStarts(BiConsumer<String, String> exclude) {
    this.exclude = exclude;
  }

  /** Excludes executors from the scheduling of an application. */
  static FailedStarts in(SparkContext context) {
    return new FailedStarts(
        (executorId, reason) ->
            // Spark's scheduler may be busy.
            DaemonThreads.start(
                "symshuffle-exclude", () -> decommission(context, executorId, reason)));
  }

  @Override
  public synchronized void started(StartReport report) {
    if (lostBefore.contains(report.executorId())) {
      // As one that works, it would keep tasks from all others for good.
      return;
    }
    if (report.hasFailed()) {
      failed.put(report.executorId(), report.problem());
    } else {
      working.add(report.executorId());
    }
    if (!working.isEmpty()) {
      failed.forEach(exclude);
      failed.clear();
    }
  }

  @Override
  public synchronized void lost(String executorId) {
    boolean hasFailed = failed.remove(executorId) != null;
    if (!working.remove(executorId) && !hasFailed) {
      lostBefore.add(executorId);
    }
  }

  /**
   * To Spark the executor looks like one that decommissions itself, which it never does: it gets no
   * tasks and no migrated blocks, and the cluster does not replace it.
   */
  private static void decommission(SparkContext context, String executorId, String reason) {
    if (context.schedulerBackend() instanceof CoarseGrainedSchedulerBackend backend) {
      LOG.warn("Executor {} gets no tasks: {}", executorId, reason);
      backend.decommissionExecutor(
          executorId, new ExecutorDecommissionInfo(reason, Option.empty()), false, true);
    }
  }
}
