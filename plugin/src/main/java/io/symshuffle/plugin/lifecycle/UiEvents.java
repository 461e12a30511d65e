// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.membership.Member;
import io.symshuffle.plugin.membership.MembershipListener;
import io.symshuffle.plugin.membership.Message.StartReport;
import io.symshuffle.plugin.ui.DelegatedEvent;
import io.symshuffle.plugin.ui.PeEvent;
import io.symshuffle.plugin.ui.StageEvent;
import io.symshuffle.plugin.ui.SymShuffleTab;
import io.symshuffle.plugin.ui.UsageEvent;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.UsageReport;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.StageInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts what happens to executors as events on Spark's listener bus, which the page and the event
 * log follow. Thread-safe.
 */
final class UiEvents implements MembershipListener {
  private static final Logger LOG = LoggerFactory.getLogger(UiEvents.class);

  private final Consumer<SparkListenerEvent> bus;

  @GuardedBy("this")
  private Map<String, Long> delegatedPosted = Map.of();

  /** The figures last posted of each executor that is not lost. */
  private final Map<String, HeapUse> heapsPosted = new ConcurrentHashMap<>();

  UiEvents(Consumer<SparkListenerEvent> bus) {
    this.bus = bus;
  }

  /**
   * Adds the tab to Spark's UI.
   *
   * @return what feeds the tab; empty if that failed, which is logged
   */
  static Optional<MembershipListener> install(SparkContext context) {
    try {
      UiEvents events = new UiEvents(context.listenerBus()::post);
      context.addSparkListener(
          new SparkListener() {
            // Without any shuffle of ours no executor reports anything.
            @Override
            public void onStageCompleted(SparkListenerStageCompleted event) {
              events.postDelegated();
              events.post(event.stageInfo());
            }
          });
      SymShuffleTab.install(context);
      return Optional.of(events);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("SymShuffle's page cannot be added to Spark's UI", e);
      return Optional.empty();
    }
  }

  @Override
  public void joined(Member member) {
    post(member.executorId(), member.pe(), member.host().name(), 0, "", "");
  }

  @Override
  public void started(StartReport report) {
    post(report.executorId(), -1, "", report.heapBytes(), report.heapBase(), report.problem());
  }

  @Override
  public void usesHostHeap(String executorId, String reason) {
    post(executorId, -1, "", 0, "", reason);
  }

  /** Posts what is new: idle executors report for ever, and the event log keeps every event. */
  @Override
  public void used(UsageReport report) {
    HeapUse posted = heapsPosted.put(report.executorId(), report.heap());
    if (!report.shuffles().isEmpty() || !report.heap().equals(posted)) {
      bus.accept(new UsageEvent(report));
    }
    postDelegated();
  }

  @Override
  public void lost(String executorId) {
    heapsPosted.remove(executorId);
  }

  private void post(StageInfo stage) {
    if (stage.shuffleDepId().isDefined() && stage.taskMetrics() != null) {
      bus.accept(
          new StageEvent(
              stage.stageId(),
              (Integer) stage.shuffleDepId().get(),
              stage.taskMetrics().shuffleWriteMetrics().writeTime()));
    }
  }

  private void post(
      String executorId, int pe, String host, long heapBytes, String heapFolder, String note) {
    bus.accept(
        new PeEvent(
            System.currentTimeMillis(),
            executorId,
            pe,
            host,
            PeEvent.JOINED,
            heapBytes,
            heapFolder,
            note));
  }

  /** Posts the counts of delegated shuffles if they have changed. */
  synchronized void postDelegated() {
    Map<String, Long> counts = ShuffleRuntime.driverStats().delegatedByReason();
    if (!counts.equals(delegatedPosted)) {
      delegatedPosted = counts;
      bus.accept(new DelegatedEvent(System.currentTimeMillis(), counts));
    }
  }
}
