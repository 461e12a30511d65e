// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cuda.AddressRange;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.SharedMemory;
import io.symshuffle.ffi.Descriptor;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.DeviceMapping;
import io.symshuffle.heap.gpu.DescriptorMessage.ChunkId;
import io.symshuffle.heap.host.ProcessLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The window of another PE in a {@link CudaHeap}, as far as it is mapped here: read-only, chunk by
 * chunk. It keeps the descriptor of each chunk, so that this process can pass it on when the owner
 * is dead.
 *
 * <p>Thread-safe. No lock is held while another process is asked.
 */
final class PeerWindow implements AutoCloseable {
  /** How long to wait before asking again for a chunk with an unknown owner. */
  private static final Duration RETRY = Duration.ofMillis(50);

  /**
   * How long a reader waits for a chunk since its owner was first unknown: the PE that has it may
   * be about to map it, or may be too busy to answer.
   */
  private static final Duration READER_LIMIT = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(PeerWindow.class);

  private final ChunkDirectory table;
  private final CudaContext context;
  private final DescriptorClient client;

  /** The number of the memory that is mapped, by chunk; 0: none. */
  private final AtomicLongArray numbers;

  /** The number whose owner was unknown, or for which there was no memory, by chunk. */
  private final AtomicLongArray missing;

  /** Until when readers wait for it, and when to ask again, in nanoseconds. */
  private final AtomicLongArray readersGiveUpAt;

  private final AtomicLongArray retryAt;

  @GuardedBy("this")
  private final Chunk[] chunks;

  /** Reserved when the first chunk is mapped. */
  @GuardedBy("this")
  private AddressRange addresses;

  private volatile boolean unreachable;

  @GuardedBy("this")
  private boolean closed;

  private record Chunk(SharedMemory memory, Descriptor descriptor) {
    void close() {
      descriptor.close();
      memory.close();
    }
  }

  /**
   * @param table the PE's table; this object takes ownership
   */
  PeerWindow(ChunkDirectory table, CudaContext context, DescriptorClient client) {
    this.table = table;
    this.context = context;
    this.client = client;
    this.numbers = new AtomicLongArray(table.chunks());
    this.missing = new AtomicLongArray(table.chunks());
    this.readersGiveUpAt = new AtomicLongArray(table.chunks());
    this.retryAt = new AtomicLongArray(table.chunks());
    this.chunks = new Chunk[table.chunks()];
  }

  /** Returns whether the process of the PE is alive. */
  boolean isOwnerAlive() {
    return table.isOwnerAlive();
  }

  /** Returns whether the PE's memory stays mapped although its heap file is removed. */
  boolean isKept() {
    return table.isKept();
  }

  /** Returns whether the PE maps and hands out memory. */
  boolean isMember() {
    try {
      return !table.hasLeft() && table.isOwnerAlive();
    } catch (InternalError e) {
      // Its table was truncated, and a page is missing.
      LOG.debug("The table of PE {} cannot be read", table.pe(), e);
      return false;
    }
  }

  /** Returns the number of refreshes in which the PE has mapped all memory of all others. */
  long completedRefreshes() {
    return table.completedRefreshes();
  }

  /** Returns a part of the window, all of it mapped; empty when that is not possible. */
  Optional<DeviceRange> range(long offset, long bytes) {
    if (offset < 0 || bytes <= 0 || offset > table.windowBytes() - bytes) {
      return Optional.empty();
    }
    for (int chunk = chunkOf(offset); chunk <= chunkOf(offset + bytes - 1); chunk++) {
      if (!attach(chunk) && !awaitAttached(chunk)) {
        return Optional.empty();
      }
    }
    synchronized (this) {
      return closed ? Optional.empty() : Optional.of(addresses.range().slice(offset, bytes));
    }
  }

  /**
   * Maps a part once more, with its own references to the memory; empty if that is not possible.
   */
  Optional<DeviceMapping> map(long offset, long bytes) {
    if (range(offset, bytes).isEmpty()) {
      return Optional.empty();
    }
    int first = chunkOf(offset);
    int count = chunkOf(offset + bytes - 1) - first + 1;
    long chunkBytes = table.chunkBytes();
    AddressRange all = context.reserveAddresses(count * chunkBytes);
    List<SharedMemory> mapped = new ArrayList<>();
    Runnable unmap =
        () -> {
          for (int i = 0; i < mapped.size(); i++) {
            all.unmap(i * chunkBytes, chunkBytes);
            mapped.get(i).close();
          }
          all.close();
        };
    boolean complete = false;
    try {
      for (int i = 0; i < count; i++) {
        SharedMemory memory = importAgain(first + i);
        if (memory == null) {
          return Optional.empty();
        }
        try {
          all.map(i * chunkBytes, memory, true);
        } catch (NativeCallException e) {
          memory.close();
          throw e;
        }
        mapped.add(memory);
      }
      complete = true;
    } finally {
      if (!complete) {
        unmap.run();
      }
    }
    return Optional.of(
        new DeviceMapping(all.range().slice(offset - first * chunkBytes, bytes), unmap));
  }

  private synchronized SharedMemory importAgain(int chunk) {
    return chunks[chunk] == null
        ? null
        : context.importShared(chunks[chunk].descriptor, table.chunkBytes());
  }

  /**
   * Maps what the owner has created and unmaps what it has destroyed since the last call.
   *
   * @return whether all of its memory is mapped, except what cannot be
   */
  boolean refresh() {
    boolean complete = true;
    for (int chunk = 0; chunk < table.chunks(); chunk++) {
      long number = table.memory(chunk);
      if (number == 0) {
        if (numbers.get(chunk) != 0) {
          detachIfDestroyed(chunk);
        }
      } else {
        complete &= attach(chunk) || unreachable || isGivenUp(chunk, number);
      }
    }
    return complete;
  }

  private boolean isGivenUp(int chunk, long number) {
    return missing.get(chunk) == number && System.nanoTime() - readersGiveUpAt.get(chunk) >= 0;
  }

  /** Returns a duplicate of a chunk's descriptor for another PE; empty when it is not here. */
  synchronized Optional<Descriptor> duplicate(ChunkId id) {
    return id.chunk() < chunks.length
            && chunks[id.chunk()] != null
            && numbers.get(id.chunk()) == id.number()
        ? Optional.of(chunks[id.chunk()].descriptor.duplicate())
        : Optional.empty();
  }

  private boolean awaitAttached(int chunk) {
    long number = table.memory(chunk);
    while (number != 0
        && !unreachable
        && missing.get(chunk) == number
        && !isGivenUp(chunk, number)) {
      LockSupport.parkNanos(RETRY.toNanos() / 2);
      if (attach(chunk)) {
        return true;
      }
    }
    return false;
  }

  /** Maps a chunk; returns whether its current memory is mapped. */
  private boolean attach(int chunk) {
    long number = table.memory(chunk);
    if (number == 0) {
      return false;
    }
    if (numbers.get(chunk) == number) {
      return true;
    }
    boolean tooEarly = missing.get(chunk) == number && System.nanoTime() - retryAt.get(chunk) < 0;
    if (unreachable || tooEarly) {
      return false;
    }
    Optional<Descriptor> descriptor = client.fetch(new ChunkId(table.pe(), chunk, number));
    if (descriptor.isEmpty()) {
      retryLater(chunk, number, READER_LIMIT);
      return false;
    }
    return map(chunk, number, descriptor.get());
  }

  private void retryLater(int chunk, long number, Duration readerLimit) {
    long now = System.nanoTime();
    retryAt.set(chunk, now + RETRY.toNanos());
    if (missing.get(chunk) != number) {
      readersGiveUpAt.set(chunk, now + readerLimit.toNanos());
      missing.set(chunk, number);
    }
  }

  private synchronized boolean map(int chunk, long number, Descriptor descriptor) {
    if (closed || unreachable || numbers.get(chunk) == number || table.memory(chunk) != number) {
      descriptor.close();
      return !closed && numbers.get(chunk) == number;
    }
    if (!detach(chunk) || !ProcessLimits.leavesRoom(descriptor.number())) {
      LOG.debug("No room or too few file descriptors to map a chunk of PE {}", table.pe());
      descriptor.close();
      retryLater(chunk, number, Duration.ZERO);
      return false;
    }
    SharedMemory memory = null;
    try {
      if (addresses == null) {
        addresses = context.reserveAddresses(table.windowBytes());
      }
      memory = context.importShared(descriptor, table.chunkBytes());
      addresses.map(chunk * table.chunkBytes(), memory, false);
    } catch (NativeCallException e) {
      if (memory != null) {
        memory.close();
      }
      descriptor.close();
      if (e.code() == CudaDriver.OUT_OF_MEMORY) {
        // Page tables take memory, too, and RAPIDS may hold all of it for now.
        LOG.debug("No memory to map a chunk of PE {}", table.pe(), e);
        retryLater(chunk, number, Duration.ZERO);
        return false;
      }
      unreachable = true;
      LOG.warn(
          "This GPU cannot read the device heap of PE {}, whose blocks come through Spark's block"
              + " transfer: {}",
          table.pe(),
          e.getMessage());
      return false;
    }
    chunks[chunk] = new Chunk(memory, descriptor);
    numbers.set(chunk, number);
    return true;
  }

  private synchronized void detachIfDestroyed(int chunk) {
    if (numbers.get(chunk) != table.memory(chunk)) {
      detach(chunk);
    }
  }

  /**
   * Unmaps what is mapped for a chunk. Nobody reads a chunk that its owner has destroyed: readers
   * hold leases.
   *
   * @return false if it stays mapped; the next refresh tries again
   */
  @GuardedBy("this")
  private boolean detach(int chunk) {
    if (chunks[chunk] == null) {
      return true;
    }
    try {
      addresses.unmap(chunk * table.chunkBytes(), table.chunkBytes());
    } catch (NativeCallException e) {
      LOG.debug("A chunk of PE {} stays mapped for now", table.pe(), e);
      return false;
    }
    numbers.set(chunk, 0);
    chunks[chunk].close();
    chunks[chunk] = null;
    return true;
  }

  private int chunkOf(long offset) {
    return (int) (offset / table.chunkBytes());
  }

  /** Unmaps everything; nothing may be read anymore. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (int chunk = 0; chunk < chunks.length; chunk++) {
      detach(chunk);
    }
    if (addresses != null) {
      addresses.close();
    }
    table.close();
  }
}
