// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import java.util.List;
import java.util.regex.Pattern;

/** Decides which of the GPUs that this process sees is the executor's own. */
final class GpuChoice {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,4}");

  private GpuChoice() {}

  /**
   * Chooses: the one that Spark has given to the executor; else the executors of a machine take
   * turns. Whether another executor has chosen the same is the driver's business.
   *
   * @param addresses what Spark has given to the executor as resource {@code gpu}: CUDA's numbers,
   *     as the RAPIDS Accelerator takes them, or UUIDs; empty if resources are not configured
   * @param visible UUIDs of the GPUs that this process sees, by CUDA's numbers, at least one
   * @param turn how many executors of the machine have chosen before, 0 or more
   * @return CUDA's number of the GPU
   * @throws NoDeviceException if there is none to choose
   */
  static int choose(List<String> addresses, List<String> visible, int turn) {
    if (addresses.size() > 1) {
      throw new NoDeviceException(
          "Spark has given this executor the GPUs %s, and an executor uses one: set spark.executor.resource.gpu.amount=1"
              .formatted(addresses));
    }
    if (addresses.isEmpty()) {
      return turn % visible.size();
    }
    String address = addresses.getFirst().trim();
    for (int ordinal = 0; ordinal < visible.size(); ordinal++) {
      if (visible.get(ordinal).equalsIgnoreCase(address)) {
        return ordinal;
      }
    }
    if (NUMBER.matcher(address).matches()) {
      int number = Integer.parseInt(address);
      if (number < visible.size()) {
        return number;
      }
      // The cluster manager shows each executor its own GPU alone, and counts those of the host.
      if (visible.size() == 1) {
        return 0;
      }
    }
    throw new NoDeviceException(
        "Spark has given this executor the GPU '%s', and its process sees %s: look at the discovery script and at CUDA_VISIBLE_DEVICES"
            .formatted(address, visible));
  }
}
