// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

/**
 * An executor whose GPU the driver has taken into its books.
 *
 * @param executorId Spark's id
 * @param pe SymShuffle's number
 * @param gpu what it brings
 */
record Participant(String executorId, int pe, GpuOffer gpu) {
  Participant {
    requireNonNull(executorId, "executorId is null");
    requireNonNull(gpu, "gpu is null");
  }

  /** For sentences. */
  String name() {
    return "PE %d (executor %s)".formatted(pe, executorId);
  }
}
