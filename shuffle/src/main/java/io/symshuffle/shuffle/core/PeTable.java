// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.core;

import java.util.OptionalInt;

/**
 * Which PE an executor is.
 *
 * <p>Implementations are thread-safe and may ask the driver about an executor that they do not know
 * yet; such a question has a time limit, after which the answer is empty.
 */
@FunctionalInterface
public interface PeTable {
  /**
   * Returns the PE of an executor.
   *
   * @param executorId Spark's executor id
   * @return the PE, or empty if no executor of this name ever joined
   */
  OptionalInt peOf(String executorId);

  /**
   * Whether Spark has removed an executor, as far as is known here. What lies in its heap may still
   * be readable on its host; asking it for blocks is of no use. Never asks the driver.
   *
   * @param executorId Spark's executor id
   * @return false also for one that is not known
   */
  default boolean isLost(String executorId) {
    return false;
  }
}
