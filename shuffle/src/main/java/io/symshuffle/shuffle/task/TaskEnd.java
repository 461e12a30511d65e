// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.task;

import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/** Runs something when a task ends, in whichever way it does. */
public final class TaskEnd {
  private TaskEnd() {}

  /** Registers {@code action}; Spark calls those registered last first. */
  public static void of(TaskContext context, Runnable action) {
    TaskCompletionListener listener = ended -> action.run();
    context.addTaskCompletionListener(listener);
  }
}
