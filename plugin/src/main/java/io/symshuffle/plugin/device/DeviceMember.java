// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.nvshmem.NvshmemException;
import io.symshuffle.plugin.device.DeviceBackend.Choice;
import io.symshuffle.shuffle.device.DeviceTier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's GPU and its device heap.
 *
 * @param tier what the shuffle uses and closes
 * @param backend whose memory the heap is, and why
 * @param ready frees what was held only while the executor started; called from any thread, perhaps
 *     repeatedly
 * @param release ends what the tier does not own, after it was closed, if this process continues
 * @param linkBytesPerSecond what all NVLinks of the GPU can carry in one direction; 0 if unknown
 */
public record DeviceMember(
    DeviceTier tier, Choice backend, Runnable ready, Runnable release, long linkBytesPerSecond) {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceMember.class);

  /**
   * Releases the GPU after the tier was closed, in local mode only, where the process continues. If
   * another PE takes part, NVSHMEM's shutdown could wait for it forever, so other executors leave
   * everything to the end of their process.
   */
  public void endInProcess() {
    if (tier.heap().pes().size() != 1 || !tier.isWhole()) {
      return;
    }
    if (tier.isBusyAfterClose()) {
      LOG.warn("The device heap stays allocated until this process ends: a kernel may use it");
      return;
    }
    try {
      release.run();
    } catch (NvshmemException e) {
      LOG.warn("The device heap stays allocated until this process ends: {}", e.getMessage());
    }
  }
}
