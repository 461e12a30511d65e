// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.usage;

import java.io.Serializable;
import java.util.Map;

/**
 * What an executor's GPU has read from other GPUs.
 *
 * @param bytesPerSecond what all NVLinks of the GPU can carry in one direction; 0 if unknown
 * @param pulled bytes read from the device heaps of other PEs since its start, by PE
 */
public record GpuLink(long bytesPerSecond, Map<Integer, Long> pulled) implements Serializable {
  /** Of an executor without a device heap. */
  public static final GpuLink NONE = new GpuLink(0, Map.of());

  /** Checks and copies. */
  public GpuLink {
    pulled = ShuffleUse.checked(pulled, Integer.class, "pulled");
  }
}
