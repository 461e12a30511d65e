// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cuda;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A limited amount of pinned memory, in pages of {@link #PAGE_BYTES}. It is allocated when it is
 * first needed, some pages at a time, since pinning takes milliseconds, and then kept. Thread-safe.
 */
public final class PinnedPool implements AutoCloseable {
  /** Size of a page: 2 MiB. Copies of this size run at nearly the full speed of PCIe. */
  public static final int PAGE_BYTES = 2 << 20;

  /** Pages that are allocated together. */
  private static final int BLOCK_PAGES = 16;

  private static final AtomicLong PROCESS_BYTES = new AtomicLong();

  private static final Logger LOG = LoggerFactory.getLogger(PinnedPool.class);

  private final CudaContext context;
  private final int maxPages;

  @GuardedBy("this")
  private final List<PinnedBuffer> blocks = new ArrayList<>();

  @GuardedBy("this")
  private final Deque<MemorySegment> free = new ArrayDeque<>();

  @GuardedBy("this")
  private int allocated;

  /** The system refused more pinned memory, or this pool is closed. */
  @GuardedBy("this")
  private boolean ended;

  /**
   * @param maxBytes the most that the pool allocates, rounded down to pages; may be 0
   */
  public PinnedPool(CudaContext context, long maxBytes) {
    this.context = context;
    this.maxPages = Math.toIntExact(Math.max(0, maxBytes) / PAGE_BYTES);
  }

  /** Takes a page, whose content is undefined; empty if all are in use. */
  public synchronized Optional<MemorySegment> take() {
    if (free.isEmpty()) {
      grow();
    }
    return Optional.ofNullable(free.poll());
  }

  /**
   * Takes a page, and waits for one if all are in use.
   *
   * @return the page, whose content is undefined, or empty if none became free
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  public synchronized Optional<MemorySegment> take(Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      Optional<MemorySegment> page = take();
      long left = deadline - System.nanoTime();
      if (page.isPresent() || allocated == 0 || left <= 0) {
        return page;
      }
      wait(left / 1_000_000 + 1);
    }
  }

  /**
   * Returns a page.
   *
   * @param page what {@link #take} returned; no longer used by the caller or the GPU
   */
  public synchronized void give(MemorySegment page) {
    free.push(page);
    notifyAll();
  }

  @GuardedBy("this")
  private void grow() {
    int pages = Math.min(BLOCK_PAGES, maxPages - allocated);
    if (ended || pages <= 0) {
      return;
    }
    PinnedBuffer block;
    try {
      block = context.allocatePinned((long) pages * PAGE_BYTES);
    } catch (RuntimeException e) {
      ended = true;
      LOG.warn(
          "Using {} MiB of pinned memory instead of {}: {}",
          usedOrFreeBytes() >> 20,
          maxBytes() >> 20,
          e.getMessage());
      return;
    }
    blocks.add(block);
    allocated += pages;
    PROCESS_BYTES.addAndGet(block.memory().byteSize());
    for (int page = 0; page < pages; page++) {
      free.add(block.memory().asSlice((long) page * PAGE_BYTES, PAGE_BYTES));
    }
  }

  /** Returns the most that this pool allocates, in bytes. */
  public long maxBytes() {
    return (long) maxPages * PAGE_BYTES;
  }

  /** Returns what all pools of this process have allocated and not freed, in bytes. */
  public static long processBytes() {
    return PROCESS_BYTES.get();
  }

  /** Returns the size of the pages that are taken, in bytes. */
  public synchronized long usedBytes() {
    return (long) (allocated - free.size()) * PAGE_BYTES;
  }

  @GuardedBy("this")
  private long usedOrFreeBytes() {
    return (long) allocated * PAGE_BYTES;
  }

  /** Frees the memory; leaks it if pages are still taken. No page can be taken afterwards. */
  @Override
  public synchronized void close() {
    ended = true;
    if (free.size() == allocated) {
      free.clear();
      PROCESS_BYTES.addAndGet(-usedOrFreeBytes());
      allocated = 0;
      blocks.forEach(PinnedBuffer::close);
      blocks.clear();
    }
  }
}
