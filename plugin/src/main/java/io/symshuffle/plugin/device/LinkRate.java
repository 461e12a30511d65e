// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.nvml.Nvml;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the NVLinks of a GPU carry, as far as the driver says so. */
public final class LinkRate {
  private static final Logger LOG = LoggerFactory.getLogger(LinkRate.class);

  private LinkRate() {}

  /**
   * Asks NVML.
   *
   * @param nvml the management library, usable or not
   * @param uuid of the GPU, as CUDA has it
   * @return bytes a second that all its active links together carry one way; 0 when it has none, or
   *     that is not known
   */
  public static long of(Nvml nvml, String uuid) {
    if (nvml.absence().isPresent()) {
      LOG.debug("What the links of {} carry is not known: {}", uuid, nvml.absence().get());
      return 0;
    }
    try {
      return nvml.device(uuid).links().totalBytesPerSecond();
    } catch (NativeCallException e) {
      LOG.debug("What the links of {} carry is not known", uuid, e);
      return 0;
    }
  }
}
