// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.directory.Lease;
import java.io.IOException;

/** Makes sure of what a block was planned from, when its first byte is wanted. Thread-safe. */
@FunctionalInterface
public interface Claim {
  /**
   * Takes a lease.
   *
   * @return the lease; what was planned from stays as it is until it is closed
   * @throws IOException if the map output is not there any more
   */
  Lease take() throws IOException;
}
