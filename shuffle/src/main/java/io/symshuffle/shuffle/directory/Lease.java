// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * While a lease is open, no PE of the host frees map outputs of its shuffle.
 *
 * <p>Thread-safe; closing it again does nothing.
 */
public final class Lease implements AutoCloseable {
  private final LeaseTable table;
  private final int shuffleId;
  private final AtomicBoolean closed = new AtomicBoolean();

  Lease(LeaseTable table, int shuffleId) {
    this.table = table;
    this.shuffleId = shuffleId;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      table.add(shuffleId, -1);
    }
  }
}
