// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import io.symshuffle.plugin.device.GpuOffer;

record Participant(String executorId, int pe, GpuOffer gpu) {

  String name() {
    return "PE %d (executor %s)".formatted(pe, executorId);
  }
}
