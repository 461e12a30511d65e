// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.cuda.DeviceRange;

/**
 * A part of a PE's window that this GPU can read and write until the mapping is closed, even if the
 * PE dies before.
 *
 * @param range its addresses on this GPU
 * @param unmap ends the mapping
 */
public record DeviceMapping(DeviceRange range, Runnable unmap) implements AutoCloseable {

  /** Unmaps it; nothing may use it anymore. Call this once. */
  @Override
  public void close() {
    unmap.run();
  }
}
