// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import java.util.List;
import java.util.regex.Pattern;

/** Chooses the executor's GPU among those that this process sees. */
final class GpuChoice {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,4}");

  private GpuChoice() {}

  /**
   * Chooses the GPU that Spark has assigned to the executor; otherwise the executors of a machine
   * take turns. The driver checks that no two executors have the same GPU.
   *
   * @param addresses what Spark has assigned to the executor as resource {@code gpu}: CUDA's device
   *     numbers, as the RAPIDS Accelerator uses them, or UUIDs; empty if resources are not
   *     configured
   * @param visible UUIDs of the GPUs that this process sees, by CUDA's device numbers, at least one
   * @param localRank how many executors of the machine choose before this one, 0 or more
   * @return CUDA's number of the GPU
   * @throws NoDeviceException if there is no suitable GPU
   */
  static int choose(List<String> addresses, List<String> visible, int localRank) {
    if (addresses.size() > 1) {
      throw new NoDeviceException(
          "Spark has assigned the GPUs %s to this executor, but an executor uses one: set spark.executor.resource.gpu.amount=1"
              .formatted(addresses));
    }
    if (addresses.isEmpty()) {
      return localRank % visible.size();
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
      // The process sees only its own GPU, but Spark numbers all GPUs of the host.
      if (visible.size() == 1) {
        return 0;
      }
    }
    throw new NoDeviceException(
        "Spark has assigned the GPU '%s' to this executor, but its process sees %s: check the discovery script and CUDA_VISIBLE_DEVICES"
            .formatted(address, visible));
  }
}
