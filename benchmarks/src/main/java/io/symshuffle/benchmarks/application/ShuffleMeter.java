// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Sums the shuffle metrics of all tasks of the application. */
final class ShuffleMeter extends SparkListener {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final SparkContext context;
  private final LongAdder shuffles = new LongAdder();
  private final LongAdder tasks = new LongAdder();
  private final LongAdder bytesWritten = new LongAdder();
  private final LongAdder recordsWritten = new LongAdder();
  private final LongAdder writeNanos = new LongAdder();
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder fetchWaitMillis = new LongAdder();
  private final LongAdder runMillis = new LongAdder();

  @SuppressWarnings(
      "this-escape") // the bus calls back when tasks end, which is after the constructor
  ShuffleMeter(SparkContext context) {
    this.context = context;
    context.addSparkListener(this);
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted completed) {
    if (completed.stageInfo().shuffleDepId().isDefined()) {
      shuffles.increment();
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    tasks.increment();
    TaskMetrics metrics = end.taskMetrics();
    if (metrics == null) { // the task was lost with its executor
      return;
    }
    bytesWritten.add(metrics.shuffleWriteMetrics().bytesWritten());
    recordsWritten.add(metrics.shuffleWriteMetrics().recordsWritten());
    writeNanos.add(metrics.shuffleWriteMetrics().writeTime());
    bytesRead.add(metrics.shuffleReadMetrics().totalBytesRead());
    fetchWaitMillis.add(metrics.shuffleReadMetrics().fetchWaitTime());
    runMillis.add(metrics.executorRunTime());
  }

  /** Returns the sums over all tasks that have ended. */
  ShuffleFigures read() throws InterruptedException {
    try {
      context.listenerBus().waitUntilEmpty(LIMIT.toMillis());
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "Spark's listeners did not catch up within " + LIMIT.toSeconds() + " s", e);
    }
    return new ShuffleFigures(
        shuffles.sum(),
        tasks.sum(),
        bytesWritten.sum(),
        recordsWritten.sum(),
        writeNanos.sum() / 1e9,
        bytesRead.sum(),
        fetchWaitMillis.sum() / 1e3,
        runMillis.sum() / 1e3);
  }
}
