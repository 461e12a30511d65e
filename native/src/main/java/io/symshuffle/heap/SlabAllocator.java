// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.heap.Extents.Extent;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Allocates slabs in this PE's window; no PE allocates in the window of another PE.
 *
 * <p>Placement is best fit, at the low end of a free range; among equals, the lowest offset. Memory
 * is reserved in chunks before a slab is returned, so that writing to it cannot fail. Freed memory
 * is retained up to a limit; beyond the limit it is released from the top of the window down. Low
 * offsets are therefore more likely to be backed already, which saves page faults. If the best fit
 * needs new chunks, the allocator considers a few more candidates and takes the one that needs the
 * fewest.
 *
 * <p>If the window is divided into several files, slabs that need new chunks are placed in one file
 * after the other, each in the free range at its end, so that threads reserve memory in several
 * files at the same time.
 *
 * <p>Thread-safe. One lock guards the state; it is never held during a call to the backing.
 */
public final class SlabAllocator {
  private static final Logger LOG = LoggerFactory.getLogger(SlabAllocator.class);

  /** In bytes; a cache line, and enough for every vector load. */
  private static final long ALIGNMENT = 64;

  /** Requests above this many bytes are rounded up further, so that freed ranges can be reused. */
  private static final long LARGE = 1L << 20;

  private static final long LARGE_ALIGNMENT = 64L << 10;

  /** Maximum free ranges to consider in search of one that is backed. */
  private static final int CANDIDATES = 8;

  /**
   * Maximum chunks to release in one call (64 MiB of host memory), which bounds how long an
   * allocation waits.
   */
  private static final int RELEASE_CHUNKS = 32;

  private final long base;
  private final long capacity;
  private final ChunkGrid grid;
  private final SlabBacking backing;
  private final long retainedBytes;
  private final int stripes;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();

  @GuardedBy("lock")
  private final Extents free = new Extents();

  @GuardedBy("lock")
  private final Chunks chunks;

  @GuardedBy("lock")
  private final Map<Long, Slab> slabs = new HashMap<>();

  @GuardedBy("lock")
  private long usedBytes;

  /** Which stripe gets the next slab that needs new chunks. */
  @GuardedBy("lock")
  private int nextStripe;

  /** Chunks whose memory a thread is reserving; signalled when it has ended. */
  @GuardedBy("lock")
  private final Map<Integer, Condition> reserving = new HashMap<>();

  /** Ranges that are not in {@link #free} while their memory is being released. */
  @GuardedBy("lock")
  private int releasing;

  /** False once the backing has failed to release memory, which is then retained and reused. */
  @GuardedBy("lock")
  private boolean canRelease = true;

  /** As below, in chunks of 2 MiB. */
  public SlabAllocator(long base, long bytes, SlabBacking backing, long retainedBytes) {
    this(base, bytes, backing, retainedBytes, ChunkGrid.CHUNK_BYTES, 1);
  }

  /**
   * Creates an allocator for a part of this PE's window.
   *
   * @param base first byte of the part, a multiple of 64
   * @param bytes length of the part, 64 or more; rounded down to a multiple of 64
   * @param retainedBytes free memory to retain for reuse, 0 or more
   * @param chunkBytes length of a chunk, a multiple of 64
   * @param stripes how many files of about the same length the part is divided into, 1 or more
   */
  public SlabAllocator(
      long base,
      long bytes,
      SlabBacking backing,
      long retainedBytes,
      long chunkBytes,
      int stripes) {
    if (base < 0 || base % ALIGNMENT != 0) {
      throw new IllegalArgumentException("base " + base + " is not a non-negative multiple of 64");
    }
    if (bytes < ALIGNMENT || base > Long.MAX_VALUE - bytes) {
      throw new IllegalArgumentException(
          "cannot manage " + bytes + " bytes from offset " + base + ": at least 64 are needed");
    }
    if (retainedBytes < 0) {
      throw new IllegalArgumentException("retained bytes " + retainedBytes + " are less than 0");
    }
    this.base = base;
    this.capacity = bytes / ALIGNMENT * ALIGNMENT;
    this.backing = backing;
    if (stripes < 1) {
      throw new IllegalArgumentException("a window cannot have " + stripes + " stripes");
    }
    this.retainedBytes = retainedBytes;
    this.grid = new ChunkGrid(base, base + capacity, chunkBytes);
    this.stripes = Math.min(stripes, grid.count());
    this.chunks = new Chunks(grid);
    free.add(base, capacity);
  }

  /**
   * Allocates a slab that is backed by memory. Its content is undefined.
   *
   * @param bytes minimum length, more than 0
   * @return a slab of at least that many bytes; empty when no free range is long enough or when
   *     memory is exhausted
   * @throws IllegalArgumentException when {@code bytes} is 0 or less
   */
  public Optional<Slab> allocate(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("cannot allocate a slab of " + bytes + " bytes");
    }
    if (bytes > capacity) {
      return Optional.empty();
    }
    long alignment = bytes > LARGE ? LARGE_ALIGNMENT : ALIGNMENT;
    Placed placed = place((bytes + alignment - 1) / alignment * alignment);
    if (placed == null) {
      return Optional.empty();
    }
    boolean reserved = false;
    try {
      reserved =
          reserve(placed.unbacked())
              || (releaseIdle(placed.slab().bytes()) && reserve(placed.unbacked()));
    } finally {
      if (!reserved) {
        undo(placed.slab());
      }
    }
    return reserved ? Optional.of(placed.slab()) : Optional.empty();
  }

  /**
   * Frees a slab, which must not be used anymore.
   *
   * @param slab the object that {@link #allocate} returned
   * @throws IllegalArgumentException when this allocator did not allocate it, or it has been freed;
   *     the allocator is unchanged then
   */
  public void free(Slab slab) {
    lock.lock();
    try {
      Slab live = slabs.get(slab.offset());
      if (isNot(slab, live)) {
        throw new IllegalArgumentException(
            "%s is not allocated by this allocator of %d bytes from offset %d: %s"
                .formatted(
                    slab,
                    capacity,
                    base,
                    live == null ? "freed twice, or foreign" : "there is " + live));
      }
      remove(slab);
    } finally {
      lock.unlock();
    }
    trim(retainedBytes);
  }

  /**
   * Releases free memory in excess of {@code bytes}, from the top of the window down, and all
   * partly backed chunks.
   *
   * @param bytes free memory to retain, 0 or more
   */
  public void trim(long bytes) {
    lock.lock();
    try {
      int partial = chunks.anyUnusedPartial();
      while (partial >= 0) {
        release(partial, partial);
        partial = chunks.anyUnusedPartial();
      }
      // Slabs that are being reserved are used but not yet backed.
      while (releaseHighest(Math.max(0, chunks.backedBytes() - usedBytes) - bytes) > 0) {}
    } finally {
      lock.unlock();
    }
  }

  /** Returns the used, free and backed bytes at this moment. */
  public SlabStats stats() {
    lock.lock();
    try {
      return new SlabStats(capacity, usedBytes, chunks.backedBytes(), free.largest());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Compares by identity: a freed slab is equal to a new slab in the same place, and freeing the
   * former again would free the latter.
   */
  @SuppressWarnings("ReferenceEquality")
  private static boolean isNot(Slab slab, Slab live) {
    return slab != live;
  }

  /** A new slab and its chunks that still need memory. */
  private record Placed(Slab slab, BitSet unbacked) {}

  /** Places a slab without reserving its memory; null when it does not fit. */
  private Placed place(long bytes) {
    lock.lock();
    try {
      Extent extent = choose(bytes);
      while (extent == null && releasing > 0) {
        released.awaitUninterruptibly();
        extent = choose(bytes);
      }
      if (extent == null) {
        return null;
      }
      Slab slab = new Slab(offsetIn(extent, bytes), bytes);
      free.remove(slab.offset(), bytes);
      chunks.use(slab.offset(), bytes);
      slabs.put(slab.offset(), slab);
      usedBytes += bytes;
      return new Placed(slab, chunks.unbacked(slab.offset(), bytes));
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private Extent choose(long bytes) {
    Extent best = null;
    int fewestUnbacked = Integer.MAX_VALUE;
    int candidates = 0;
    for (Extent extent : free.fitting(bytes)) {
      int unbacked = chunks.unbackedCount(extent.offset(), bytes);
      if (unbacked < fewestUnbacked) {
        best = extent;
        fewestUnbacked = unbacked;
      }
      if (unbacked == 0 || ++candidates == CANDIDATES) {
        break;
      }
    }
    return best;
  }

  /** Returns where to place a slab: in an extent, or in the next stripe if it needs new chunks. */
  @GuardedBy("lock")
  private long offsetIn(Extent best, long bytes) {
    if (stripes == 1 || chunks.unbackedCount(best.offset(), bytes) == 0) {
      return best.offset();
    }
    nextStripe = (nextStripe + 1) % stripes;
    int chunksPerStripe = grid.count() / stripes;
    long start = grid.offset(nextStripe * chunksPerStripe);
    long end = grid.end((nextStripe + 1) * chunksPerStripe - 1);
    Extent last = free.at(end - 1);
    long offset = last == null ? 0 : Math.max(start, last.offset());
    return last == null || last.end() - offset < bytes ? best.offset() : offset;
  }

  /**
   * Reserves the memory of a new slab's chunks.
   *
   * @return false when there is no space
   */
  private boolean reserve(BitSet unbacked) {
    for (int chunk = unbacked.nextSetBit(0); chunk >= 0; chunk = unbacked.nextSetBit(chunk + 1)) {
      if (claim(chunk) && !reserve(chunk)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns true if this thread must reserve a chunk's memory, and false if the chunk has it. While
   * another thread reserves it for a slab that shares it, this one reserves a chunk that will be
   * needed soon: two that populate the same pages slow each other down. It does so only if chunks
   * are small, since a large one of GPU memory might not be needed before it is trimmed.
   */
  private boolean claim(int chunk) {
    lock.lock();
    try {
      if (reserving.containsKey(chunk) && grid.chunkBytes() <= ChunkGrid.CHUNK_BYTES) {
        reserveAhead(chunk + 1);
      }
      for (Condition ended = reserving.get(chunk); ended != null; ended = reserving.get(chunk)) {
        ended.awaitUninterruptibly();
      }
      if (chunks.isBacked(chunk)) {
        return false;
      }
      reserving.put(chunk, lock.newCondition());
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Reserves the next chunk that no thread is reserving, unless one may be releasing it. */
  @GuardedBy("lock")
  private void reserveAhead(int first) {
    int chunk = first;
    while (reserving.containsKey(chunk)) {
      chunk++;
    }
    if (chunk == grid.count() || releasing > 0 || !chunks.isEmpty(chunk)) {
      return;
    }
    reserving.put(chunk, lock.newCondition());
    lock.unlock();
    try {
      reserve(chunk);
    } finally {
      lock.lock();
    }
  }

  /** Reserves the memory of a claimed chunk; returns false when there is no space. */
  private boolean reserve(int chunk) {
    boolean reserved = false;
    try {
      reserved = backing.reserve(grid.offset(chunk), grid.bytes(chunk));
      return reserved;
    } finally {
      lock.lock();
      try {
        if (reserved) {
          chunks.setBacked(chunk);
        } else {
          chunks.setPartial(chunk);
        }
        reserving.remove(chunk).signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Undoes {@link #place}. */
  private void undo(Slab slab) {
    lock.lock();
    try {
      remove(slab);
    } finally {
      lock.unlock();
    }
    trim(retainedBytes);
  }

  @GuardedBy("lock")
  private void remove(Slab slab) {
    slabs.remove(slab.offset());
    usedBytes -= slab.bytes();
    chunks.unuse(slab.offset(), slab.bytes());
    free.add(slab.offset(), slab.bytes());
  }

  /** Releases retained memory, so that it can be reserved elsewhere in the window. */
  private boolean releaseIdle(long bytes) {
    lock.lock();
    try {
      long sum = 0;
      long last;
      do {
        last = releaseHighest(bytes - sum);
        sum += last;
      } while (last > 0);
      return sum > 0;
    } finally {
      lock.unlock();
    }
  }

  /** Releases up to {@code bytes}, rounded up to chunks, from the top; returns how much. */
  @GuardedBy("lock")
  private long releaseHighest(long bytes) {
    int last = chunks.highestIdle();
    if (bytes <= 0 || last < 0 || !canRelease) {
      return 0;
    }
    long wanted = Math.min(RELEASE_CHUNKS, Math.ceilDiv(bytes, grid.chunkBytes()));
    int first = last;
    while (first > 0 && last - first + 1 < wanted && chunks.isIdle(first - 1)) {
      first--;
    }
    release(first, last);
    return grid.end(last) - grid.offset(first);
  }

  /** Releases chunks that no slab uses, without holding the lock meanwhile. */
  @GuardedBy("lock")
  private void release(int first, int last) {
    long offset = grid.offset(first);
    long bytes = grid.end(last) - offset;
    BitSet wasBacked = new BitSet();
    free.remove(offset, bytes);
    for (int chunk = first; chunk <= last; chunk++) {
      wasBacked.set(chunk, chunks.isIdle(chunk));
      chunks.clearBacked(chunk);
    }
    releasing++;
    lock.unlock();
    RuntimeException failure = null;
    try {
      backing.release(offset, bytes);
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      lock.lock();
      releasing--;
      free.add(offset, bytes);
      if (failure != null) {
        for (int chunk = first; chunk <= last; chunk++) {
          if (wasBacked.get(chunk)) {
            chunks.setBacked(chunk);
          }
        }
        if (canRelease) {
          canRelease = false;
          LOG.warn(
              "The heap no longer returns freed memory to the system: cannot release {} bytes at"
                  + " offset {}",
              bytes,
              offset,
              failure);
        }
      }
      released.signalAll();
    }
  }
}
