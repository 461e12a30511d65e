// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how much of other PEs' windows this process keeps mapped. Pages that a process reads count
 * in its resident set, by which YARN limits containers, although the memory belongs to the other
 * PE. They are dropped from this process's page tables when no task reads anymore and, if there is
 * a limit, when there are too many. Their content is not affected, and a page that is read again is
 * mapped again.
 *
 * <p>On a busy virtual machine with 2 cores, dropping 256 MiB took about 15 ms, and mapping them
 * again 20 ms. Small blocks pay most, since Linux maps 64 KiB for each, so there is a limit only
 * where it is needed.
 *
 * <p>Thread-safe. Correct at any time, even while tasks read.
 */
public final class PeerPages {
  /** Linux maps up to this many bytes around a page that is read. */
  private static final long AROUND_BYTES = 64L << 10;

  /**
   * Bytes read between two looks at the resident set, which takes 0.1 to 0.4 ms on a busy machine.
   */
  private static final long CHECK_BYTES = 64L << 20;

  /** Calls without readers after which pages are dropped. */
  private static final int IDLE_CALLS = 5;

  private static final Logger LOG = LoggerFactory.getLogger(PeerPages.class);

  private final long maxBytes;
  private final Runnable drop;
  private final LongSupplier residentBytes;
  private final AtomicLong readBytes = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();

  /** Resident bytes without pages of other PEs. */
  @GuardedBy("lock")
  private long floor;

  @GuardedBy("lock")
  private int idleCalls;

  private volatile boolean mapped;
  private volatile boolean disabled;

  /**
   * @param maxBytes limit on the pages of other PEs while tasks read, approximately; {@link
   *     Long#MAX_VALUE} for none
   * @param drop drops all pages of other PEs
   * @param residentBytes mapped bytes in this process's resident set, without its own window
   */
  PeerPages(long maxBytes, Runnable drop, LongSupplier residentBytes) {
    this.maxBytes = maxBytes;
    this.drop = drop;
    this.residentBytes = residentBytes;
    this.floor = residentBytes.getAsLong();
  }

  /** Never drops pages. */
  public static PeerPages unlimited() {
    PeerPages unlimited = new PeerPages(Long.MAX_VALUE, () -> {}, () -> 0);
    unlimited.disabled = true;
    return unlimited;
  }

  /** The bytes that reading a block of {@code bytes} bytes may map. */
  public static long mappedBytes(long bytes) {
    return bytes + AROUND_BYTES;
  }

  /** Called after reading; {@code bytes} as in {@link #mappedBytes}, for one or more blocks. */
  public void read(long bytes) {
    mapped = true;
    if (maxBytes == Long.MAX_VALUE
        || readBytes.addAndGet(bytes) < CHECK_BYTES
        || disabled
        || !lock.tryLock()) {
      return;
    }
    try {
      readBytes.set(0);
      idleCalls = 0;
      long resident = residentBytes.getAsLong();
      floor = Math.min(floor, resident);
      if (resident - floor > maxBytes) {
        drop();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Drops all pages when no task has read for a while; called periodically.
   *
   * @param reading whether tasks read now
   */
  void dropIfIdle(boolean reading) {
    if (!mapped || disabled) {
      return;
    }
    lock.lock();
    try {
      idleCalls = reading ? 0 : idleCalls + 1;
      if (idleCalls >= IDLE_CALLS) {
        mapped = false;
        drop();
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void drop() {
    try {
      drop.run();
      floor = residentBytes.getAsLong();
    } catch (RuntimeException e) {
      disabled = true;
      LOG.warn(
          "Pages of other executors' heaps can no longer be dropped from the resident set (RSS) of"
              + " this process: {}",
          e.getMessage());
    }
  }
}
