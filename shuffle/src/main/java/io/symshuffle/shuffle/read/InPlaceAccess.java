// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.task.TaskThreads;
import java.util.function.Supplier;
import org.apache.spark.unsafe.Platform;

/**
 * Access to the memory that a reduce task reads in place, which may be reused after the task's end.
 *
 * <p>The task's own thread reads it directly. Other threads, such as the one that writes rows to
 * the script of {@code SELECT TRANSFORM}, may still read when the task ends. They get copies of the
 * blocks or tables, which are made while the task cannot end, and an exception after its end.
 */
public final class InPlaceAccess {
  private final Thread owner;

  @GuardedBy("this")
  private boolean ended;

  /**
   * @param owner the thread that ends the task, or null if it is unknown: all blocks are then
   *     copied
   */
  public InPlaceAccess(Thread owner) {
    this.owner = owner;
  }

  /** Creates the access of the task that reads on the current thread. */
  static InPlaceAccess ofCurrentThread() {
    return new InPlaceAccess(TaskThreads.isCurrent() ? Thread.currentThread() : null);
  }

  /** Whether the current thread may read the memory directly. */
  public boolean isDirect() {
    return Thread.currentThread().equals(owner);
  }

  /** Denies access to all threads; waits for a copy in progress. */
  public synchronized void end() {
    ended = true;
  }

  /**
   * Copies native memory to an array.
   *
   * @param position address of the first byte
   * @param limit address of the end
   * @throws IllegalStateException if the task has ended
   */
  synchronized byte[] copy(long position, long limit) {
    checkRunning();
    byte[] copy = new byte[Math.toIntExact(limit - position)];
    Platform.copyMemory(null, position, copy, Platform.BYTE_ARRAY_OFFSET, copy.length);
    return copy;
  }

  /**
   * Runs an action that reads the memory. The task does not end meanwhile.
   *
   * @throws IllegalStateException if the task has ended
   */
  public synchronized <T> T runBeforeEnd(Supplier<T> action) {
    checkRunning();
    return action.get();
  }

  @GuardedBy("this")
  private void checkRunning() {
    if (ended) {
      throw new IllegalStateException(
          "thread %s cannot read shuffle data of a task that has ended"
              .formatted(Thread.currentThread().getName()));
    }
  }
}
