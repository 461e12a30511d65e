// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.task.TaskEnd;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;

/**
 * Merges the metrics of a task's readers when the task ends. Spark merges those of all readers at
 * once, so doing that for each of them would take quadratic time in a task that reads thousands of
 * partitions one by one. Thread-safe; one per executor.
 */
final class TaskReadMetrics implements AutoCloseable {
  private final Set<Long> tasks = ConcurrentHashMap.newKeySet();

  /**
   * Merges at the end of a task, after the actions that are registered from now on; does nothing
   * for further readers of the task.
   */
  void mergeAtEnd(TaskContext context) {
    long task = context.taskAttemptId();
    if (tasks.add(task)) {
      TaskEnd.listen(
          context,
          () -> {
            tasks.remove(task);
            context.taskMetrics().mergeShuffleReadMetrics();
          });
    }
  }

  @Override
  public void close() {
    tasks.clear();
  }
}
