// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import java.time.Duration;

/**
 * The arguments of a start.
 *
 * @param pe number of this PE, 0 to {@code peCount - 1}, unique among the PEs
 * @param peCount number of PEs, the same on all
 * @param id the token of this start, the same on all; it can be used once
 * @param limit timeout, which includes waiting for the slowest PE
 */
public record InitRequest(int pe, int peCount, UniqueId id, Duration limit) {

  public InitRequest {
    if (peCount < 1 || pe < 0 || pe >= peCount) {
      throw new IllegalArgumentException("there is no PE %d of %d".formatted(pe, peCount));
    }
  }
}
