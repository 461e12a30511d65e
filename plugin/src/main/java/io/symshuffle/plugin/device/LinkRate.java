// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.nvml.Nvml;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bandwidth of a GPU's NVLinks according to NVML. */
final class LinkRate {
  private static final Logger LOG = LoggerFactory.getLogger(LinkRate.class);

  private LinkRate() {}

  /**
   * Asks NVML.
   *
   * @param nvml the management library, which may be missing
   * @param uuid the GPU's, from CUDA
   * @return bytes per second that all active links together carry in one direction; 0 if there are
   *     none or this is unknown
   */
  static long of(Nvml nvml, String uuid) {
    if (nvml.absence().isPresent()) {
      LOG.debug("The bandwidth of the links of {} is unknown: {}", uuid, nvml.absence().get());
      return 0;
    }
    try {
      return nvml.device(uuid).links().totalBytesPerSecond();
    } catch (NativeCallException e) {
      LOG.debug("The bandwidth of the links of {} is unknown", uuid, e);
      return 0;
    }
  }
}
