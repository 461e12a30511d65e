// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;

/**
 * A task's wait for the others in Spark's {@code allGather}, which has a limit of a year by
 * default, and ends early only if the task is killed. So another thread checks our limit, and ends
 * the wait as if the task was killed.
 */
final class Meeting {
  private final TaskContext task;
  private final WaitLimit limit;

  @GuardedBy("this")
  private boolean ended;

  @GuardedBy("this")
  private String failure = "";

  Meeting(TaskContext task, WaitLimit limit) {
    this.task = task;
    this.limit = limit;
  }

  /**
   * Waits; called once, by the task.
   *
   * @param gather Spark's call
   * @throws SymmetricMemoryException when the limit is over. Spark kills the task if it goes on.
   */
  String[] await(Supplier<String[]> gather) {
    String[] all;
    try {
      all = gather.get();
    } catch (Throwable e) {
      // Also Spark's checked exceptions, which it does not declare.
      end();
      throw e;
    }
    end();
    return all;
  }

  private synchronized void end() {
    ended = true;
    if (!failure.isEmpty()) {
      throw new SymmetricMemoryException(failure);
    }
  }

  /** Ends the wait if the limit is over; called by another thread, again and again. */
  synchronized void check() {
    if (ended || !failure.isEmpty()) {
      return;
    }
    try {
      limit.check();
    } catch (SymmetricMemoryException e) {
      failure = e.getMessage();
      task.markInterrupted(failure);
    }
  }
}
