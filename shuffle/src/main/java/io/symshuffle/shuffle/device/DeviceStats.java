// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.device;

/**
 * What an executor has in GPU memory, all taken at one moment.
 *
 * @param pes PEs of its epoch, lost ones included; 0 without a device heap
 * @param heapBytes size of its window
 * @param usedBytes bytes in slabs that are handed out
 */
public record DeviceStats(int pes, long heapBytes, long usedBytes) {
  /** Without a device heap. */
  public static final DeviceStats NONE = new DeviceStats(0, 0, 0);
}
