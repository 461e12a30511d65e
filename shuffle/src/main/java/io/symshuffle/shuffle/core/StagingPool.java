// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.core;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Native buffers for map tasks, reused by later tasks so that their pages stay mapped and warm.
 *
 * <p>A task uses two buffers of the same size: one for incoming records and one for the sorted run.
 * A buffer has the configured size, or is larger for shuffles with many partitions, so that a block
 * of a run has a few hundred bytes on average: {@link #BYTES_PER_PARTITION} per partition, up to
 * {@link #MAX_GROWN_BYTES}. A process therefore holds at most 2 buffers per task slot and size, of
 * at most max(configured size, 16 MiB) each.
 *
 * <p>Thread-safe.
 */
public final class StagingPool {
  /** Staging memory per partition, in bytes. */
  static final long BYTES_PER_PARTITION = 256;

  /** Limit up to which buffers grow with the number of partitions, in bytes. */
  static final long MAX_GROWN_BYTES = 16 << 20;

  private static final long PAGE_BYTES = 4096;

  private final int configuredBytes;
  private final Map<Integer, Queue<MemorySegment>> idle = new ConcurrentHashMap<>();

  /**
   * Starts empty.
   *
   * @param configuredBytes smallest size of a buffer
   */
  public StagingPool(int configuredBytes) {
    this.configuredBytes = configuredBytes;
  }

  /** The size of a staging buffer for a shuffle with {@code partitions} partitions, in bytes. */
  public int bytesFor(int partitions) {
    long wanted = Math.min(partitions * BYTES_PER_PARTITION, MAX_GROWN_BYTES);
    if (wanted <= configuredBytes) {
      return configuredBytes;
    }
    return (int) Math.max(configuredBytes, Long.highestOneBit(wanted - 1) << 1);
  }

  /** Returns a page-aligned buffer of exactly {@code bytes} bytes. Its content is undefined. */
  public MemorySegment acquire(int bytes) {
    Queue<MemorySegment> queue = idle.get(bytes);
    MemorySegment buffer = queue == null ? null : queue.poll();
    return buffer != null ? buffer : Arena.ofAuto().allocate(bytes, PAGE_BYTES);
  }

  /** Returns a buffer to the pool; the caller must not use it afterwards. */
  public void release(MemorySegment buffer) {
    idle.computeIfAbsent((int) buffer.byteSize(), b -> new ConcurrentLinkedQueue<>()).add(buffer);
  }
}
