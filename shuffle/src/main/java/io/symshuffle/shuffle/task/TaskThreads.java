// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.task;

/**
 * Knows the threads on which Spark runs tasks. A task ends on its thread, so that thread never uses
 * what the task has released. Spark passes iterators also to threads that may outlive the task, for
 * example to write rows to the script of {@code SELECT TRANSFORM}.
 */
public final class TaskThreads {
  private static final ThreadLocal<Boolean> RUNS_TASKS = ThreadLocal.withInitial(() -> false);

  private TaskThreads() {}

  /** Records that Spark runs tasks on the current thread. */
  public static void add() {
    RUNS_TASKS.set(true);
  }

  /** Whether Spark runs tasks on the current thread. */
  public static boolean isCurrent() {
    return RUNS_TASKS.get();
  }
}
