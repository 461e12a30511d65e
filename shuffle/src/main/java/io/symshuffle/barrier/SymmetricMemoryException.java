// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

/**
 * A call on symmetric memory failed: the heap is full, the tasks' calls differ, another task has
 * ended, or a wait has reached its limit. The memory cannot be used anymore. Let the task fail:
 * Spark then repeats the barrier stage.
 */
public final class SymmetricMemoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SymmetricMemoryException(String message) {
    super(message);
  }

  SymmetricMemoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
