// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import java.util.OptionalInt;

/**
 * Maps executors to PEs.
 *
 * <p>Implementations are thread-safe and may ask the driver about an executor that they do not know
 * yet; the request has a timeout, after which the result is empty.
 */
@FunctionalInterface
public interface PeTable {
  /** Returns the PE of an executor; empty if none with this id has joined. */
  OptionalInt findPe(String executorId);

  /**
   * Whether Spark has removed an executor, as far as this process knows. Its heap may still be
   * readable on its host, but requests to it would fail. Never asks the driver.
   *
   * @return false if the executor is alive or unknown
   */
  default boolean isLost(String executorId) {
    return false;
  }

  /**
   * Which folder contains the heap of an executor, as far as this process knows. Executors with the
   * same value read each other's heaps. Never asks the driver.
   *
   * @return the value, also for a lost executor; empty if unknown
   */
  default String heapFolder(String executorId) {
    return "";
  }
}
