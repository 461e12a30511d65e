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
 * @param tier what the shuffle uses; closed by whoever it is given to
 * @param runtime NVSHMEM, started
 * @param context the GPU's primary context
 */
public record DeviceMember(DeviceTier tier, NvshmemRuntime runtime, CudaContext context) {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceMember.class);
  private static final Duration END_LIMIT = Duration.ofSeconds(5);

  /** Checks that every part is there. */
  public DeviceMember {
    requireNonNull(tier, "tier is null");
    requireNonNull(runtime, "runtime is null");
    requireNonNull(context, "context is null");
  }

  /**
   * Ends NVSHMEM where the process goes on without it, after the tier was closed; that is local
   * mode, whose epoch is this process alone. An executor's process ends with its executor, and
   * NVSHMEM with it: its end is a collective that would wait for ever for a PE that has died, and a
   * process that has begun it cannot be ended.
   */
  public void endInProcess() {
    if (tier.peCount() != 1 || !tier.isWhole()) {
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
