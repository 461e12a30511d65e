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
 * Native buffers for tasks that write, kept for the next task so that their pages stay mapped and
 * warm.
 *
 * <p>A task holds two buffers of one size, for records as they come and for the sorted run. A
 * buffer has the configured size, or more for shuffles with many partitions, so that a block of a
 * run has some hundred bytes on average: {@link #BYTES_PER_PARTITION} for each partition, up to
 * {@link #MAX_GROWN_BYTES}. So a process holds at most 2 buffers a task slot and size, of at most
 * max(configured size, 16 MiB) each.
 *
 * <p>Thread-safe.
 */
public final class StagingPool {
  /** Staging for each partition, in bytes. */
  static final long BYTES_PER_PARTITION = 256;

  /** Partitions make a buffer larger up to this, in bytes. */
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

  /** The size of a staging buffer for a shuffle with so many partitions, in bytes. */
  public int bytesFor(int partitions) {
    long wanted = Math.min(partitions * BYTES_PER_PARTITION, MAX_GROWN_BYTES);
    if (wanted <= configuredBytes) {
      return configuredBytes;
    }
    return (int) Math.max(configuredBytes, Long.highestOneBit(wanted - 1) << 1);
  }

  /** A buffer of exactly {@code bytes}, page aligned, with whatever it held before. */
  public MemorySegment acquire(int bytes) {
    Queue<MemorySegment> queue = idle.get(bytes);
    MemorySegment buffer = queue == null ? null : queue.poll();
    return buffer != null ? buffer : Arena.ofAuto().allocate(bytes, PAGE_BYTES);
  }

  /** Takes a buffer back; the caller does not use it any more. */
  public void release(MemorySegment buffer) {
    idle.computeIfAbsent((int) buffer.byteSize(), b -> new ConcurrentLinkedQueue<>()).add(buffer);
  }
}
