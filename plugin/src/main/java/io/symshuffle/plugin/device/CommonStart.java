// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

/**
 * Decides on the driver which executors start their device heaps together. Called by {@link
 * DeviceCoordinator} under its lock, and never waits.
 */
public interface CommonStart {
  /**
   * Handles an offer, or a step of an executor whose offer it has accepted.
   *
   * @param coordinator knows who has answered, and is told who cannot take part
   */
  void handle(String executorId, int pe, DeviceStep step, DeviceCoordinator coordinator);

  /** Starts or fails what is complete or late. */
  void update(DeviceCoordinator coordinator);

  /**
   * An executor does not take part.
   *
   * @return whether it would have been in the first start
   */
  boolean decline(String executorId);

  /** Spark removed an executor. */
  void executorLost(String executorId, DeviceCoordinator coordinator);

  /** No living executor has declined: allows another start if none takes part either. */
  void allowNext();

  /** Returns what an executor has to do next. */
  DeviceInstruction instruction(String executorId);

  /** Returns the number of PEs with device heaps; lost ones count until all are lost. */
  int activePes();
}
