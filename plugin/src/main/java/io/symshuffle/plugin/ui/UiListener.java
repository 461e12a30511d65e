// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.FetchFailed;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;

/** Applies Spark's events and ours to a {@link UiState}, live or from an event log. */
final class UiListener extends SparkListener {
  private static final int MAX_MESSAGE_CHARS = 600;
  private static final int MAX_NAME_CHARS = 120;
  private static final int MAX_STAGES = 1000;

  private final UiState state;

  // Confined to the listener bus's thread.
  private final Map<Integer, String> stages =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, String> eldest) {
          return size() > MAX_STAGES;
        }
      };

  UiListener(UiState state) {
    this.state = state;
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    if (event instanceof PeEvent pe) {
      state.apply(pe);
    } else if (event instanceof UsageEvent usage) {
      state.apply(usage.report());
    } else if (event instanceof DelegatedEvent delegated) {
      state.apply(delegated);
    } else if (event instanceof StageEvent stage) {
      String name = stages.getOrDefault(stage.stageId(), "stage " + stage.stageId());
      state.wrote(stage.shuffleId(), name, stage.writeNanos());
    }
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
    if (!state.isEmpty()) {
      state.apply(
          new PeEvent(
              event.time(),
              event.executorId(),
              -1,
              "",
              PeEvent.LOST,
              0,
              "",
              "Spark removed it: " + event.reason()));
    }
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted event) {
    StageInfo stage = event.stageInfo();
    String name = nameOf(stage, event.properties());
    stages.put(stage.stageId(), name);
    // Event logs do not have it.
    if (stage.shuffleDepId().isDefined()) {
      state.wrote((Integer) stage.shuffleDepId().get(), name, 0);
    }
  }

  /** Spark names all stages of a query after the same line of its code. */
  private static String nameOf(StageInfo stage, Properties properties) {
    String number = "stage " + stage.stageId();
    String description =
        properties == null ? null : properties.getProperty("spark.job.description");
    String query = properties == null ? null : properties.getProperty("spark.sql.execution.id");
    if (description != null) {
      return number
          + ": "
          + description.substring(0, Math.min(MAX_NAME_CHARS, description.length()));
    }
    return number + (query == null ? ": " + stage.name() : " of query " + query);
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd event) {
    if (event.reason() instanceof FetchFailed failed) {
      String message = failed.message();
      state.fault(
          new Snapshot.Fault(
              event.taskInfo() == null ? 0 : event.taskInfo().finishTime(),
              failed.shuffleId(),
              failed.bmAddress() == null ? "" : failed.bmAddress().executorId(),
              message.substring(0, Math.min(MAX_MESSAGE_CHARS, message.length()))));
    }
  }
}
