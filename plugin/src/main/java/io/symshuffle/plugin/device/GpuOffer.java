// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import java.io.Serializable;

/**
 * What an executor that is ready to start offers to a device epoch.
 *
 * @param node identifies the machine as NVSHMEM does: host name and running kernel
 * @param uuid the unique id of its GPU: {@code GPU-…}
 * @param pciBusId where the GPU is on its machine, for messages
 * @param nvshmemVersion version of the library that it has loaded, for example {@code 3.4.5}
 * @param windowBytes the largest window that it can allocate
 */
public record GpuOffer(
    String node, String uuid, String pciBusId, String nvshmemVersion, long windowBytes)
    implements Serializable {

  public GpuOffer {
    if (uuid.isEmpty() || windowBytes < 1) {
      throw new IllegalArgumentException(
          "an executor offers the GPU '%s' with a window of %d bytes".formatted(uuid, windowBytes));
    }
  }
}
