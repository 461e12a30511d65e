// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

/**
 * What an executor brings into a device epoch: everything on its side is ready, only the start that
 * all make together is missing.
 *
 * @param node the machine as NVSHMEM tells machines apart: kernel and host name
 * @param uuid tells its GPU from all others: {@code GPU-…}
 * @param pciBusId where the GPU sits on its machine, for messages
 * @param nvshmemVersion of the library that it has loaded, for example {@code 3.4.5}
 * @param windowBytes the largest window that it can make
 */
public record GpuOffer(
    String node, String uuid, String pciBusId, String nvshmemVersion, long windowBytes) {

  /** Checks the parts. */
  public GpuOffer {
    requireNonNull(node, "node is null");
    requireNonNull(uuid, "uuid is null");
    requireNonNull(pciBusId, "pciBusId is null");
    requireNonNull(nvshmemVersion, "nvshmemVersion is null");
    if (uuid.isEmpty() || windowBytes < 1) {
      throw new IllegalArgumentException(
          "An executor offers the GPU '%s' with a window of %d bytes".formatted(uuid, windowBytes));
    }
  }
}
