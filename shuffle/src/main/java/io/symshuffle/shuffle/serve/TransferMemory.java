// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import java.util.concurrent.atomic.AtomicLong;

/** Limits the memory of compressed blocks that wait to be sent. Thread-safe. */
final class TransferMemory {
  private final long maxBytes;
  private final AtomicLong used = new AtomicLong();

  TransferMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Reserves memory, unless too much is in use. */
  boolean tryReserve(long bytes) {
    if (used.addAndGet(bytes) <= maxBytes) {
      return true;
    }
    used.addAndGet(-bytes);
    return false;
  }

  /** Returns reserved memory. */
  void release(long bytes) {
    used.addAndGet(-bytes);
  }

  /** Reserved memory in bytes. */
  long used() {
    return used.get();
  }
}
