// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvml;

/**
 * The NVLinks of a GPU.
 *
 * @param active links that are up
 * @param bytesPerSecond bandwidth of one link in one direction; 0 when the driver does not report
 *     it
 */
public record NvLinks(int active, long bytesPerSecond) {

  /** Returns bytes per second of all links together in one direction. */
  public long totalBytesPerSecond() {
    return active * bytesPerSecond;
  }

  @Override
  public String toString() {
    if (active == 0) {
      return "no NVLink";
    }
    return bytesPerSecond == 0
        ? active + " NVLinks of unknown rate"
        : "%d NVLinks of %.1f GB/s".formatted(active, bytesPerSecond / 1e9);
  }
}
