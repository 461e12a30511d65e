// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cuda.AddressRange;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.SharedMemory;
import io.symshuffle.ffi.Descriptor;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.heap.gpu.DescriptorMessage.ChunkId;
import io.symshuffle.heap.host.ProcessLimits;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The window of this PE in a {@link CudaHeap}: addresses, parts of which have memory. Memory is
 * created and destroyed in chunks, as the slab allocator needs it. Thread-safe.
 */
final class OwnWindow implements SlabBacking, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnWindow.class);

  private final CudaContext context;
  private final long reserve;
  private final ChunkDirectory table;
  private final AddressRange addresses;

  @GuardedBy("this")
  private final Chunk[] chunks;

  @GuardedBy("this")
  private long lastNumber;

  @GuardedBy("this")
  private boolean warned;

  @GuardedBy("this")
  private boolean closed;

  private record Chunk(SharedMemory memory, Descriptor descriptor, long number) {
    void close() {
      descriptor.close();
      memory.close();
    }
  }

  /**
   * @param reserve GPU memory in bytes that must stay free when a chunk is created
   */
  OwnWindow(CudaContext context, ChunkDirectory table, long reserve) {
    this.reserve = reserve;
    this.context = context;
    this.table = table;
    this.addresses = context.reserveAddresses(table.windowBytes());
    this.chunks = new Chunk[table.chunks()];
  }

  DeviceRange range() {
    return addresses.range();
  }

  synchronized boolean hasMemory(long offset, long bytes) {
    for (int chunk = chunkOf(offset); chunk <= chunkOf(offset + bytes - 1); chunk++) {
      if (chunks[chunk] == null) {
        return false;
      }
    }
    return true;
  }

  /** Returns a duplicate of a chunk's descriptor for another PE. */
  synchronized Optional<Descriptor> duplicate(ChunkId id) {
    Chunk chunk = id.chunk() < chunks.length ? chunks[id.chunk()] : null;
    if (chunk == null || chunk.number != id.number()) {
      return Optional.empty();
    }
    return Optional.of(chunk.descriptor.duplicate());
  }

  @Override
  public synchronized boolean reserve(long offset, long bytes) {
    for (int chunk = chunkOf(offset); chunk <= chunkOf(offset + bytes - 1); chunk++) {
      if (closed || (chunks[chunk] == null && !create(chunk))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public synchronized void release(long offset, long bytes) {
    for (int chunk = chunkOf(offset); chunk <= chunkOf(offset + bytes - 1); chunk++) {
      if (chunks[chunk] != null) {
        destroy(chunk);
      }
    }
  }

  @GuardedBy("this")
  private boolean create(int chunk) {
    long free = context.memory().freeBytes();
    if (free < table.chunkBytes() + reserve) {
      warn(
          "the GPU has %d MiB of free memory, of which %d MiB must stay free"
              .formatted(free >> 20, reserve >> 20));
      return false;
    }
    SharedMemory memory = null;
    Chunk created = null;
    boolean mapped = false;
    try {
      memory = context.createShared(table.chunkBytes());
      addresses.map(chunk * table.chunkBytes(), memory, true);
      mapped = true;
      Descriptor descriptor = memory.export();
      if (!ProcessLimits.leavesRoom(descriptor.number())) {
        descriptor.close();
        warn("this process has too few file descriptors: run ulimit -n 65536 before it starts");
        return false;
      }
      created = new Chunk(memory, descriptor, ++lastNumber);
    } catch (NativeCallException e) {
      warn(e.getMessage());
      return false;
    } finally {
      if (created == null && memory != null) {
        if (mapped) {
          addresses.unmap(chunk * table.chunkBytes(), table.chunkBytes());
        }
        memory.close();
      }
    }
    chunks[chunk] = created;
    table.setMemory(chunk, created.number);
    return true;
  }

  @GuardedBy("this")
  private void destroy(int chunk) {
    // First: a process that maps it has to unmap it before the GPU gets its memory back.
    table.setMemory(chunk, 0);
    Chunk destroyed = chunks[chunk];
    try {
      addresses.unmap(chunk * table.chunkBytes(), table.chunkBytes());
    } catch (NativeCallException e) {
      // It is used again when the slab allocator reserves it.
      table.setMemory(chunk, destroyed.number);
      LOG.warn("A chunk of the device heap stays mapped: {}", e.getMessage());
      return;
    }
    chunks[chunk] = null;
    destroyed.close();
  }

  @GuardedBy("this")
  private void warn(String reason) {
    if (warned) {
      LOG.debug("The device heap cannot grow: {}", reason);
    } else {
      warned = true;
      LOG.warn(
          "The device heap cannot grow by {} MiB; using the host heap: {}",
          table.chunkBytes() >> 20,
          reason);
    }
  }

  private int chunkOf(long offset) {
    return (int) (offset / table.chunkBytes());
  }

  /** Unmaps everything. What other PEs have mapped stays, and the table still names it. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (int chunk = 0; chunk < chunks.length; chunk++) {
      if (chunks[chunk] != null) {
        addresses.unmap(chunk * table.chunkBytes(), table.chunkBytes());
        chunks[chunk].close();
        chunks[chunk] = null;
      }
    }
    addresses.close();
  }
}
