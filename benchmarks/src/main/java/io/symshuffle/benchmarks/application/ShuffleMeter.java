// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.benchmarks.protocol.StageFigures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Collects the metrics of the stages of the application, and announces the first stage of a query
 * that reads a shuffle.
 */
final class ShuffleMeter extends SparkListener {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Pattern TIME = Pattern.compile("(\\d+):(\\d\\d):(\\d\\d\\.\\d+)");

  private final SparkContext context;

  @GuardedBy("stages")
  private final List<StageInfo> stages = new ArrayList<>();

  /** Tasks that succeeded, by stage and attempt. */
  @GuardedBy("stages")
  private final Map<Attempt, Integer> tasks = new HashMap<>();

  @GuardedBy("stages")
  private Runnable announcement;

  private record Attempt(int stage, int number) {}

  @SuppressWarnings(
      "this-escape") // the bus calls back when tasks end, which is after the constructor
  ShuffleMeter(SparkContext context) {
    this.context = context;
    context.addSparkListener(this);
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted completed) {
    synchronized (stages) {
      stages.add(completed.stageInfo());
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskInfo().successful()) {
      synchronized (stages) {
        tasks.merge(new Attempt(end.stageId(), end.stageAttemptId()), 1, Integer::sum);
      }
    }
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    Runnable due = null;
    if (!submitted.stageInfo().parentIds().isEmpty()) {
      synchronized (stages) {
        due = announcement;
        announcement = null;
      }
    }
    if (due != null) {
      due.run();
    }
  }

  /** Runs an action once, on another thread, when a stage starts that reads a shuffle. */
  void announce(Runnable action) {
    synchronized (stages) {
      announcement = action;
    }
  }

  private static StageFigures figures(StageInfo stage, int tasks) {
    TaskMetrics metrics = stage.taskMetrics();
    ShuffleReadMetrics reads = metrics.shuffleReadMetrics();
    ShuffleWriteMetrics writes = metrics.shuffleWriteMetrics();
    return new StageFigures(
        stage.stageId(),
        tasks,
        stage.shuffleDepId().isDefined(),
        (time(stage.completionTime()) - time(stage.submissionTime())) / 1e3,
        metrics.executorRunTime() / 1e3,
        metrics.executorCpuTime() / 1e9,
        metrics.jvmGCTime() / 1e3,
        reads.fetchWaitTime() / 1e3,
        reads.remoteBytesRead(),
        reads.totalBytesRead(),
        writes.writeTime() / 1e9,
        writes.bytesWritten(),
        writes.recordsWritten(),
        metrics.diskBytesSpilled(),
        gpuSeconds(stage));
  }

  /** Milliseconds since 1970; 0 for a stage that was never submitted. */
  private static long time(Option<Object> time) {
    return time.isDefined() ? (long) time.get() : 0;
  }

  /** The times among the metrics of the RAPIDS Accelerator, which have their own type. */
  private static Map<String, Double> gpuSeconds(StageInfo stage) {
    Map<String, Double> seconds = new TreeMap<>();
    CollectionConverters.asJava(stage.accumulables())
        .values()
        .forEach(
            metric -> {
              String name = metric.name().isDefined() ? metric.name().get() : "";
              String value = metric.value().isDefined() ? metric.value().get().toString() : "";
              if (name.startsWith("gpu")) {
                seconds(value).ifPresent(time -> seconds.put(name, time));
              }
            });
    return seconds;
  }

  /** Parses hours, minutes and seconds, such as {@code 00:01:02.345}; empty for other texts. */
  static OptionalDouble seconds(String text) {
    Matcher parts = TIME.matcher(text);
    return parts.matches()
        ? OptionalDouble.of(
            Integer.parseInt(parts.group(1)) * 3600.0
                + Integer.parseInt(parts.group(2)) * 60.0
                + Double.parseDouble(parts.group(3)))
        : OptionalDouble.empty();
  }

  /** Returns the stages that have ended since the last call. */
  List<StageFigures> takeStages() throws InterruptedException {
    try {
      context.listenerBus().waitUntilEmpty(LIMIT.toMillis());
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "Spark's listeners did not catch up within " + LIMIT.toSeconds() + " s", e);
    }
    synchronized (stages) {
      List<StageFigures> taken = new ArrayList<>();
      for (StageInfo stage : stages) {
        Attempt attempt = new Attempt(stage.stageId(), stage.attemptNumber());
        taken.add(figures(stage, tasks.getOrDefault(attempt, 0)));
      }
      stages.clear();
      tasks.clear();
      return taken;
    }
  }
}
