// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

/** Grants the leases under which tasks of this PE read map outputs. Thread-safe. */
public interface Leases {
  /**
   * Acquires a lease on all map outputs of a shuffle, on all PEs of the host.
   *
   * @return the lease; close it when nothing of the shuffle is referenced anymore
   * @throws IllegalStateException if tasks of this PE already read too many shuffles
   */
  Lease acquire(int shuffleId);

  /** Number of shuffles on which this PE holds a lease. */
  int size();
}
