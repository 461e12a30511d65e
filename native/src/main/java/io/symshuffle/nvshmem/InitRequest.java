// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The arguments of a start.
 *
 * @param pe its number, 0 to {@code peCount - 1}; no two PEs have the same
 * @param peCount number of PEs, the same on all
 * @param id the token of this start, the same on all, of use once
 * @param limit how long the start may take, the wait for the slowest PE included
 */
public record InitRequest(int pe, int peCount, UniqueId id, Duration limit) {

  /** Checks: a wrong number here would make every PE wait forever. */
  public InitRequest {
    requireNonNull(id, "id is null");
    requireNonNull(limit, "limit is null");
    if (peCount < 1 || pe < 0 || pe >= peCount) {
      throw new IllegalArgumentException("there is no PE %d of %d".formatted(pe, peCount));
    }
  }
}
