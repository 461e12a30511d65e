// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.util.Objects.requireNonNull;

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
 * Hands out pieces of the own window; no PE allocates in the window of another PE.
 *
 * <p>Placing is best fit, the lowest offset among equals, from the low end of the free range.
 * Memory is reserved, chunk by chunk of 2 MiB, before a slab is handed out, so that writing into it
 * cannot fail; freed memory is kept up to a limit and given back beyond, from the top of the window
 * downwards. Low offsets are therefore the warm ones, and slabs, placed low, meet memory that needs
 * no page faults; where the best fit would need cold chunks, the next few candidates are looked at
 * and the one with the fewest cold chunks is taken.
 *
 * <p>Threads: all methods from any thread. One lock guards the books and is never held over a call
 * of the backing.
 */
public final class SlabAllocator {
  private static final Logger LOG = LoggerFactory.getLogger(SlabAllocator.class);

  /** Bytes; a cache line, and enough for every vector load. */
  private static final long ALIGNMENT = 64;

  /** Requests over this many bytes are rounded more coarsely, so that freed ranges fit again. */
  private static final long LARGE = 1L << 20;

  private static final long LARGE_ALIGNMENT = 64L << 10;

  /** Free ranges looked at for one with warm memory. */
  private static final int CANDIDATES = 8;

  /** Maximum chunks released in one call (64 MiB), which bounds how long an allocation waits. */
  private static final int RELEASE_CHUNKS = 32;

  private final long base;
  private final long capacity;
  private final ChunkGrid grid;
  private final SlabBacking backing;
  private final long retainedBytes;

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

  /** Ranges that are not in {@link #free} while their memory is being released. */
  @GuardedBy("lock")
  private int releasing;

  /** False once the backing has failed to release memory: it is then kept and reused. */
  @GuardedBy("lock")
  private boolean canRelease = true;

  /**
   * An allocator of a part of the own window.
   *
   * @param base first byte of the part, a multiple of 64
   * @param bytes length of the part, more than 0; what is left over of a multiple of 64 is not used
   * @param backing reserves and releases the memory
   * @param retainedBytes how much free memory to keep for reuse, 0 or more
   */
  public SlabAllocator(long base, long bytes, SlabBacking backing, long retainedBytes) {
    if (base < 0 || base % ALIGNMENT != 0) {
      throw new IllegalArgumentException("base " + base + " is not a multiple of 64, 0 or more");
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
    this.backing = requireNonNull(backing, "backing is null");
    this.retainedBytes = retainedBytes;
    this.grid = new ChunkGrid(base, base + capacity);
    this.chunks = new Chunks(grid);
    free.give(base, capacity);
  }

  /**
   * Hands out a slab with memory behind it. Its content is unspecified.
   *
   * @param bytes how many are needed, more than 0
   * @return a slab of at least that many bytes; empty when no free range is long enough or when
   *     there is no memory to put behind it
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
          reserve(placed.cold()) || (releaseIdle(placed.slab().bytes()) && reserve(placed.cold()));
    } finally {
      if (!reserved) {
        giveBack(placed.slab());
      }
    }
    return reserved ? Optional.of(placed.slab()) : Optional.empty();
  }

  /**
   * Takes a slab back. Nobody may touch it anymore.
   *
   * @param slab the very object that {@link #allocate} handed out and that was not freed since
   * @throws IllegalArgumentException when it was not handed out here or was freed before; nothing
   *     has changed then
   */
  public void free(Slab slab) {
    requireNonNull(slab, "slab is null");
    lock.lock();
    try {
      Slab live = slabs.get(slab.offset());
      if (isNot(slab, live)) {
        throw new IllegalArgumentException(
            "%s is not handed out by this allocator of %d bytes from offset %d: %s"
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
   * Gives free memory back that is more than {@code bytes}, or of no use; from the top of the
   * window downwards.
   *
   * @param bytes how much free memory may stay backed, 0 or more
   */
  public void trim(long bytes) {
    lock.lock();
    try {
      int torn = chunks.anyTornUnused();
      while (torn >= 0) {
        release(torn, torn);
        torn = chunks.anyTornUnused();
      }
      while (releaseHighest(chunks.backedBytes() - usedBytes - bytes) > 0) {}
    } finally {
      lock.unlock();
    }
  }

  /** {@return how much is used, free and backed at this moment} */
  public SlabStats stats() {
    lock.lock();
    try {
      return new SlabStats(
          capacity,
          usedBytes,
          capacity - usedBytes,
          chunks.backedBytes(),
          free.largest(),
          slabs.size());
    } finally {
      lock.unlock();
    }
  }

  /**
   * By identity: a slab that was freed and whose place was handed out again is equal to the new
   * one, and freeing it a second time would take that away.
   */
  @SuppressWarnings("ReferenceEquality")
  private static boolean isNot(Slab slab, Slab live) {
    return slab != live;
  }

  /** A slab in the books, with the chunks under it that still need memory. */
  private record Placed(Slab slab, BitSet cold) {}

  /** Enters a slab into the books; null when it does not fit. */
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
      Slab slab = new Slab(extent.offset(), bytes);
      free.take(slab.offset(), bytes);
      chunks.use(slab.offset(), bytes);
      slabs.put(slab.offset(), slab);
      usedBytes += bytes;
      return new Placed(slab, chunks.cold(slab.offset(), bytes));
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private Extent choose(long bytes) {
    Extent best = null;
    int fewestCold = Integer.MAX_VALUE;
    int looked = 0;
    for (Extent extent : free.fitting(bytes)) {
      int cold = chunks.coldCount(extent.offset(), bytes);
      if (cold < fewestCold) {
        best = extent;
        fewestCold = cold;
      }
      if (cold == 0 || ++looked == CANDIDATES) {
        break;
      }
    }
    return best;
  }

  /**
   * Puts memory behind chunks that a slab of ours touches. Another thread may do the same for a
   * chunk that its slab shares with ours; reserving twice is harmless.
   *
   * @return false when there is no space
   */
  private boolean reserve(BitSet cold) {
    for (int chunk = cold.nextSetBit(0); chunk >= 0; chunk = cold.nextSetBit(chunk + 1)) {
      boolean reserved = false;
      try {
        reserved = backing.reserve(grid.offset(chunk), grid.bytes(chunk));
      } finally {
        lock.lock();
        try {
          if (reserved) {
            chunks.setBacked(chunk);
          } else {
            chunks.setTorn(chunk);
          }
        } finally {
          lock.unlock();
        }
      }
      if (!reserved) {
        return false;
      }
    }
    return true;
  }

  /** Undoes {@link #place}. */
  private void giveBack(Slab slab) {
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
    free.give(slab.offset(), slab.bytes());
  }

  /**
   * Gives retained memory back, so that it can be had elsewhere in the window.
   *
   * @return whether there was any
   */
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

  /** Gives back up to {@code bytes}, rounded up to chunks, from the top; returns how much. */
  @GuardedBy("lock")
  private long releaseHighest(long bytes) {
    int last = chunks.highestIdle();
    if (bytes <= 0 || last < 0 || !canRelease) {
      return 0;
    }
    long wanted = Math.min(RELEASE_CHUNKS, Math.ceilDiv(bytes, ChunkGrid.CHUNK_BYTES));
    int first = last;
    while (first > 0 && last - first + 1 < wanted && chunks.isIdle(first - 1)) {
      first--;
    }
    release(first, last);
    return grid.end(last) - grid.offset(first);
  }

  /** Gives chunks back that no slab touches; the lock is let go meanwhile. */
  @GuardedBy("lock")
  private void release(int first, int last) {
    long offset = grid.offset(first);
    long bytes = grid.end(last) - offset;
    BitSet wasBacked = new BitSet();
    free.take(offset, bytes);
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
      free.give(offset, bytes);
      if (failure != null) {
        for (int chunk = first; chunk <= last; chunk++) {
          if (wasBacked.get(chunk)) {
            chunks.setBacked(chunk);
          }
        }
        if (canRelease) {
          canRelease = false;
          LOG.warn(
              "Freed memory of the heap is kept from now on: {} bytes at offset {} could not be"
                  + " given back",
              bytes,
              offset,
              failure);
        }
      }
      released.signalAll();
    }
  }
}
