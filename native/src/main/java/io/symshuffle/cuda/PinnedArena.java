// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cuda;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Allocates pinned memory of any size from the pages of a pool. Allocations share pages; a page
 * returns to the pool when all allocations in it are closed. One thread at a time may allocate; any
 * thread may close an allocation.
 */
public final class PinnedArena implements AutoCloseable {
  private static final int ALIGNMENT = 64;

  private final PinnedPool pool;

  /** The page with room for the next allocation; null if there is none. */
  private Page current;

  /** A page, and how much of it is allocated. */
  private static final class Page {
    final MemorySegment memory;
    int used;

    /** Allocations in it, and one while it is the current page. */
    final AtomicInteger references = new AtomicInteger(1);

    Page(MemorySegment memory) {
      this.memory = memory;
    }

    int room() {
      return PinnedPool.PAGE_BYTES - used;
    }
  }

  /** One allocation. Thread-safe. */
  public final class Memory implements AutoCloseable {
    private final List<MemorySegment> pieces;
    private final List<Page> pages;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Memory(List<MemorySegment> pieces, List<Page> pages) {
      this.pieces = List.copyOf(pieces);
      this.pages = List.copyOf(pages);
    }

    /** Returns its memory, in order; each piece is in one page. */
    public List<MemorySegment> pieces() {
      return pieces;
    }

    /** Frees it; neither the caller nor the GPU may use it then. Later calls have no effect. */
    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        pages.forEach(PinnedArena.this::release);
      }
    }
  }

  public PinnedArena(PinnedPool pool) {
    this.pool = pool;
  }

  /**
   * Allocates memory.
   *
   * @param bytes its size, more than 0
   * @return the memory, or empty if the pool has too few free pages
   */
  public Optional<Memory> allocate(long bytes) {
    try {
      return allocate(bytes, Duration.ZERO);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // thrown only while waiting
      return Optional.empty();
    }
  }

  /**
   * Allocates memory, and waits for each page that is not free.
   *
   * @param bytes its size, more than 0
   * @param limit how long to wait in all
   * @return the memory, or empty if the pool had too few pages
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  public Optional<Memory> allocate(long bytes, Duration limit) throws InterruptedException {
    if (bytes > pool.maxBytes()) {
      return Optional.empty();
    }
    Optional<Memory> free = allocateIn(bytes, Duration.ZERO);
    if (free.isPresent() || limit.isZero()) {
      return free;
    }
    close(); // otherwise it might wait for the rest of the page whose end it has taken
    return allocateIn(bytes, limit);
  }

  private Optional<Memory> allocateIn(long bytes, Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    List<MemorySegment> pieces = new ArrayList<>();
    List<Page> pages = new ArrayList<>();
    boolean complete = false;
    try {
      for (long left = bytes; left > 0; ) {
        if (current == null || current.room() == 0) {
          close();
          Optional<MemorySegment> page =
              limit.isZero()
                  ? pool.take()
                  : pool.take(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
          if (page.isEmpty()) {
            return Optional.empty();
          }
          current = new Page(page.get());
        }
        int take = (int) Math.min(left, current.room());
        pieces.add(current.memory.asSlice(current.used, take));
        pages.add(current);
        current.references.incrementAndGet();
        current.used += Math.min(current.room(), (take + ALIGNMENT - 1) & -ALIGNMENT);
        left -= take;
      }
      complete = true;
      return Optional.of(new Memory(pieces, pages));
    } finally {
      if (!complete) {
        pages.forEach(this::release);
      }
    }
  }

  private void release(Page page) {
    if (page.references.decrementAndGet() == 0) {
      pool.give(page.memory);
    }
  }

  /** Returns the page with room for more to the pool, when its allocations are closed. */
  @Override
  public void close() {
    if (current != null) {
      release(current);
      current = null;
    }
  }
}
