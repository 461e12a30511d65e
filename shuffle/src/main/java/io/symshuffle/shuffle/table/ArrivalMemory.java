// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.table;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cuda.PinnedArena;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.ffi.DirectMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Memory for tables that arrive from other hosts, until they are on this GPU. It is pinned as long
 * as the executor's pool has pages. After that it is native memory, of which a task takes little
 * before it should copy what it has to the GPU. All of it is freed explicitly, not by the garbage
 * collector. One per reduce task, which closes it at its end. Thread-safe, but one thread at a time
 * allocates.
 */
final class ArrivalMemory implements AutoCloseable {
  /** How much memory that is not pinned a task takes for a batch, in bytes: 64 MiB. */
  static final long MAX_NATIVE_BYTES = 64L << 20;

  private final Optional<PinnedPool> pool;
  private final Optional<PinnedArena> pinned;

  @GuardedBy("this")
  private final Set<Part> open = Collections.newSetFromMap(new IdentityHashMap<>());

  @GuardedBy("this")
  private long nativeBytes;

  @GuardedBy("this")
  private boolean closed;

  /**
   * @param pool pinned memory of the executor; empty to use native memory only
   */
  ArrivalMemory(Optional<PinnedPool> pool) {
    this.pool = pool;
    this.pinned = pool.map(PinnedArena::new);
  }

  /** Whether at least a quarter of the pinned memory is free. */
  boolean hasRoom() {
    return pool.isPresent() && pool.get().usedBytes() <= pool.get().maxBytes() / 4 * 3;
  }

  /**
   * Memory of one table or of its metadata. Its holder closes it when no copy to the GPU reads it
   * anymore.
   */
  interface Part extends AutoCloseable {
    /** The memory in order, pieces of native memory. */
    List<MemorySegment> pieces();

    /** Whether the memory is pinned, so that copies from it run in the order of a stream. */
    boolean isPinned();

    @Override
    void close();
  }

  /**
   * Allocates memory, pinned if there is room.
   *
   * @param bytes its size, 0 or more
   * @throws IllegalStateException if there is no native memory either, with the remedy
   */
  synchronized Part allocate(long bytes) {
    checkOpen();
    Optional<Part> part = bytes == 0 ? Optional.empty() : pinned(bytes);
    return add(part.orElseGet(() -> inNativeMemory(bytes)));
  }

  /** Allocates memory in one piece. */
  synchronized Part allocateWhole(long bytes) {
    checkOpen();
    if (bytes > 0 && bytes <= PinnedPool.PAGE_BYTES) {
      Optional<Part> part = pinned(bytes);
      if (part.isPresent() && part.get().pieces().size() > 1) {
        // At the end of a page; the next allocation is at the start of one.
        part.get().close();
        pinned.ifPresent(PinnedArena::close);
        part = pinned(bytes);
      }
      if (part.isPresent()) {
        return add(part.get());
      }
    }
    return add(inNativeMemory(bytes));
  }

  /** Returns the rest of the last page: nothing more arrives. What is allocated stays. */
  synchronized void allocatesNoMore() {
    pinned.ifPresent(PinnedArena::close);
  }

  private Optional<Part> pinned(long bytes) {
    return pinned.flatMap(arena -> arena.allocate(bytes)).map(PinnedPart::new);
  }

  @GuardedBy("this")
  private Part inNativeMemory(long bytes) {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory =
          DirectMemory.require(
              "a table of %d bytes from another executor",
              bytes,
              "spark.rapids.sql.batchSizeBytes",
              () -> arena.allocate(Math.max(1, bytes), Long.BYTES).asSlice(0, bytes));
      nativeBytes += bytes;
      return new NativePart(arena, memory);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  @GuardedBy("this")
  private Part add(Part part) {
    open.add(part);
    return part;
  }

  @GuardedBy("this")
  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the task has ended");
    }
  }

  /**
   * Makes a write to memory of this task. A thread that reads for the task may outlive it, and its
   * pinned memory is then that of other tasks.
   *
   * @return what {@code action} returns
   * @throws IllegalStateException if the task has ended
   */
  synchronized <T> T write(Supplier<T> action) {
    checkOpen();
    return action.get();
  }

  /** Whether the tables that have arrived should be brought to the GPU before more are read. */
  synchronized boolean isShort() {
    return nativeBytes >= MAX_NATIVE_BYTES;
  }

  /** Frees everything that has not been closed. */
  @Override
  public synchronized void close() {
    closed = true;
    List.copyOf(open).forEach(Part::close);
    pinned.ifPresent(PinnedArena::close);
  }

  private final class PinnedPart implements Part {
    private final PinnedArena.Memory memory;

    PinnedPart(PinnedArena.Memory memory) {
      this.memory = memory;
    }

    @Override
    public List<MemorySegment> pieces() {
      return memory.pieces();
    }

    @Override
    public boolean isPinned() {
      return true;
    }

    @Override
    public void close() {
      synchronized (ArrivalMemory.this) {
        open.remove(this);
        memory.close();
      }
    }
  }

  private final class NativePart implements Part {
    private final Arena arena;
    private final MemorySegment memory;

    NativePart(Arena arena, MemorySegment memory) {
      this.arena = arena;
      this.memory = memory;
    }

    @Override
    public List<MemorySegment> pieces() {
      return List.of(memory);
    }

    @Override
    public boolean isPinned() {
      return false;
    }

    @Override
    public void close() {
      synchronized (ArrivalMemory.this) {
        if (open.remove(this)) {
          nativeBytes -= memory.byteSize();
          arena.close();
        }
      }
    }
  }
}
