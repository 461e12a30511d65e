// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.directory.Lease;
import java.io.IOException;

/** Acquires the lease on a block's shuffle when its first byte is read. Thread-safe. */
@FunctionalInterface
public interface LeaseSupplier {
  /**
   * Acquires a lease and checks that the map output is still published.
   *
   * @return the lease; the map output stays unchanged until it is closed
   * @throws IOException if the map output no longer exists
   */
  Lease acquire() throws IOException;
}
