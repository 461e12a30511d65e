// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.nvshmem.NvshmemException;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.shuffle.device.DeviceTier;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's part in an active epoch.
 *
 * @param tier what the shuffle uses and closes
 * @param runtime NVSHMEM, started
 * @param context the GPU's primary context
 * @param linkBytesPerSecond what all NVLinks of the GPU can carry in one direction; 0 if unknown
 */
public record DeviceMember(
    DeviceTier tier, NvshmemRuntime runtime, CudaContext context, long linkBytesPerSecond) {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceMember.class);
  private static final Duration END_LIMIT = Duration.ofSeconds(5);

  /** Checks that no part is null. */
  public DeviceMember {
    requireNonNull(tier, "tier is null");
    requireNonNull(runtime, "runtime is null");
    requireNonNull(context, "context is null");
  }

  /**
   * Shuts NVSHMEM down after the tier was closed, in local mode only, where the epoch has one PE
   * and the process continues. NVSHMEM's shutdown is a collective that would wait forever for a PE
   * that has died and cannot be interrupted, so other executors leave it to the end of their
   * process.
   */
  public void endInProcess() {
    if (tier.peCount() != 1 || !tier.isWhole()) {
      return;
    }
    if (tier.isBusyAfterClose()) {
      LOG.warn("The device heap stays allocated until this process ends: a kernel may use it");
      return;
    }
    try {
      runtime.finish(END_LIMIT);
      runtime.close();
      context.close();
    } catch (NvshmemException e) {
      LOG.warn("The device heap stays allocated until this process ends: {}", e.getMessage());
    }
  }
}
