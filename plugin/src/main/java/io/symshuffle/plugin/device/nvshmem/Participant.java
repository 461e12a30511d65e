// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.device.GpuOffer;

/**
 * An executor that has offered its GPU.
 *
 * @param executorId Spark's id
 * @param pe SymShuffle's number
 * @param gpu what it offers
 */
record Participant(String executorId, int pe, GpuOffer gpu) {
  Participant {
    requireNonNull(executorId, "executorId is null");
    requireNonNull(gpu, "gpu is null");
  }

  /** Its name in messages. */
  String name() {
    return "PE %d (executor %s)".formatted(pe, executorId);
  }
}
