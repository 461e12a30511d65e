// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.table;

import io.symshuffle.shuffle.task.TaskEnd;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.TaskContext;

/**
 * The shuffles that a task reads from other hosts. A join reads two, and takes the GPU for the
 * first batch of one before it asks for the other, so that others would wait for the GPU while it
 * waits for the network. So a task waits for the first batches of all of them before it takes the
 * GPU. Thread-safe; one per executor.
 */
final class FirstBatchGate implements AutoCloseable {
  private final Map<Long, OfTask> tasks = new ConcurrentHashMap<>();

  static final class OfTask {
    private final List<Runnable> shuffles = new CopyOnWriteArrayList<>();
    private final AtomicBoolean hasGathered = new AtomicBoolean();

    /**
     * Adds a shuffle, unless the first batches have been gathered.
     *
     * @param gather waits for its first batch
     */
    void add(Runnable gather) {
      if (!hasGathered.get()) {
        shuffles.add(gather);
      }
    }

    /** Waits for the first batches of all shuffles; does nothing if this was called before. */
    void gather() {
      if (!hasGathered.getAndSet(true)) {
        shuffles.forEach(Runnable::run);
        shuffles.clear();
      }
    }
  }

  /** Returns the shuffles of a task, until it ends. */
  OfTask of(TaskContext context) {
    long task = context.taskAttemptId();
    OfTask ofTask = tasks.computeIfAbsent(task, id -> new OfTask());
    TaskEnd.listen(context, () -> tasks.remove(task));
    return ofTask;
  }

  @Override
  public void close() {
    tasks.clear();
  }
}
