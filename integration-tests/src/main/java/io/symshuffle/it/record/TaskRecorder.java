// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.record;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Listens to an application. Keeps only the IDs of executors, except while {@link #record
 * recording}; recordings cannot be nested. Thread-safe.
 */
public final class TaskRecorder extends SparkListener {
  private static final long BUS_LIMIT_MILLIS = 120_000;

  private final SparkContext context;
  private final Set<String> busyExecutors = new LinkedHashSet<>();
  private final List<TaskRecord> tasks = new ArrayList<>();
  private final NavigableMap<String, String> removed = new TreeMap<>();
  private boolean recording;

  private TaskRecorder(SparkContext context) {
    this.context = context;
  }

  /** Returns a recorder that listens to the application. */
  public static TaskRecorder on(SparkContext context) {
    TaskRecorder recorder = new TaskRecorder(context);
    context.addSparkListener(recorder);
    return recorder;
  }

  /**
   * Runs the action and returns the events of the bus during it.
   *
   * @throws Exception thrown by the action
   */
  public <T> Recording<T> record(Callable<T> action) throws Exception {
    drain(context);
    synchronized (this) {
      if (recording) {
        throw new IllegalStateException(
            "a recording is already running; recordings cannot be nested");
      }
      tasks.clear();
      removed.clear();
      recording = true;
    }
    try {
      T value = action.call();
      drain(context);
      synchronized (this) {
        return new Recording<>(value, tasks, removed);
      }
    } finally {
      synchronized (this) {
        recording = false;
      }
    }
  }

  /** Returns IDs of executors on which a task ended. */
  public Set<String> busyExecutors() {
    drain(context);
    synchronized (this) {
      return Set.copyOf(busyExecutors);
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
    busyExecutors.add(end.taskInfo().executorId());
    if (recording) {
      TaskMetrics metrics = end.taskMetrics();
      tasks.add(
          new TaskRecord(
              end.stageId(),
              end.stageAttemptId(),
              end.taskInfo().partitionId(),
              end.taskInfo().attemptNumber(),
              end.taskInfo().speculative(),
              end.taskInfo().executorId(),
              end.reason().toString(),
              metrics == null ? ShuffleTotals.ZERO : ShuffleTotals.of(metrics)));
    }
  }

  @Override
  public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved event) {
    busyExecutors.remove(event.executorId());
    if (recording) {
      removed.put(event.executorId(), event.reason());
    }
  }

  /**
   * Waits until all listeners have received all events.
   *
   * @throws AssertionError if this takes too long
   */
  public static void drain(SparkContext context) {
    try {
      context.listenerBus().waitUntilEmpty(BUS_LIMIT_MILLIS);
    } catch (TimeoutException e) {
      throw new AssertionError(
          "Spark's listener bus is not empty after %d ms".formatted(BUS_LIMIT_MILLIS), e);
    }
  }
}
