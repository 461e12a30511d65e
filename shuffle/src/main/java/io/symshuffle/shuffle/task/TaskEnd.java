// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.task;

import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/** Runs actions when a task ends, whether it succeeds, fails or is killed. */
public final class TaskEnd {
  private TaskEnd() {}

  /** Registers {@code action}; Spark runs the actions in reverse order of registration. */
  public static void listen(TaskContext context, Runnable action) {
    TaskCompletionListener listener = ended -> action.run();
    context.addTaskCompletionListener(listener);
  }
}
