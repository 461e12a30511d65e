// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import java.util.concurrent.atomic.AtomicReference;

/**
 * While a lease is open, no PE of the host frees map outputs of its shuffle.
 *
 * <p>Thread-safe; closing it again does nothing.
 */
public final class Lease implements AutoCloseable {
  private final AtomicReference<Runnable> end;

  /**
   * @param end runs when it is closed
   */
  public Lease(Runnable end) {
    this.end = new AtomicReference<>(end);
  }

  @Override
  public void close() {
    Runnable running = end.getAndSet(null);
    if (running != null) {
      running.run();
    }
  }
}
