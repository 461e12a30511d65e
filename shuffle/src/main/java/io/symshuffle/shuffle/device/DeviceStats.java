// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.device;

/**
 * A snapshot of an executor's GPU memory.
 *
 * @param pes number of PEs of its epoch, including lost ones; 0 without a device heap
 * @param heapBytes size of its window, in bytes
 * @param usedBytes bytes in allocated slabs
 */
public record DeviceStats(int pes, long heapBytes, long usedBytes) {
  /** Statistics of an executor without a device heap. */
  public static final DeviceStats NONE = new DeviceStats(0, 0, 0);
}
