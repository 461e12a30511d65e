// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.TreeMap;

/**
 * What an executor's GPU took from others.
 *
 * @param bytesPerSecond what all NVLinks of the GPU carry one way, as NVML said at the executor's
 *     start; 0 when that is not known
 * @param pulled bytes that it read from the device heaps of other PEs since its start, by PE
 */
public record GpuLink(long bytesPerSecond, Map<Integer, Long> pulled) {
  /** Of an executor without a device heap. */
  static final GpuLink NONE = new GpuLink(0, Map.of());

  /** Copies. */
  public GpuLink {
    pulled = new TreeMap<>(requireNonNull(pulled, "pulled is null"));
  }
}
