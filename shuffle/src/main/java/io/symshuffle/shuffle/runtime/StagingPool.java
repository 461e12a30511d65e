// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import io.symshuffle.ffi.DirectMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Native buffers for map tasks, reused by later tasks so that their pages stay mapped and warm.
 *
 * <p>A task uses two buffers of the same size: one for incoming records and one for the sorted run.
 * A buffer has the configured size, or is larger for shuffles with many partitions, so that a block
 * of a run has a few hundred bytes on average: {@link #BYTES_PER_PARTITION} per partition, up to
 * {@link #MAX_GROWN_BYTES}. A process therefore holds at most 2 buffers per task slot and size, of
 * at most max(configured size, 16 MiB) each. When the heap is idle, only those of the configured
 * size are kept.
 *
 * <p>The JVM limits direct memory, which includes these buffers (-XX:MaxDirectMemorySize). When it
 * is used up, all buffers have the configured size from then on.
 *
 * <p>Thread-safe.
 */
public final class StagingPool {
  private static final Logger LOG = LoggerFactory.getLogger(StagingPool.class);

  /** Staging memory per partition, in bytes. */
  static final long BYTES_PER_PARTITION = 256;

  /** Limit up to which buffers grow with the number of partitions, in bytes. */
  static final long MAX_GROWN_BYTES = 16 << 20;

  private static final long PAGE_BYTES = 4096;

  private final int configuredBytes;
  private final Map<Integer, Queue<Buffers>> idle = new ConcurrentHashMap<>();

  /** False once larger buffers did not fit the JVM's direct memory. */
  private volatile boolean canGrow = true;

  /**
   * The two buffers of a map task, page-aligned and of the same size. Their content is undefined.
   *
   * @param staging where records are collected
   * @param run where they are sorted
   */
  public record Buffers(MemorySegment staging, MemorySegment run) {
    private static Buffers allocate(int bytes) {
      // Freed by the garbage collector.
      Arena arena = Arena.ofAuto();
      return new Buffers(arena.allocate(bytes, PAGE_BYTES), arena.allocate(bytes, PAGE_BYTES));
    }
  }

  /**
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

  /**
   * Returns buffers for a map task of a shuffle with {@code partitions} partitions.
   *
   * @return buffers of {@link #bytesFor} bytes each, or of the configured size if the JVM's direct
   *     memory is short
   * @throws IllegalStateException if not even those fit; the message has the remedy
   */
  public Buffers acquire(int partitions) {
    int bytes = canGrow ? bytesFor(partitions) : configuredBytes;
    try {
      return acquireBytes(bytes);
    } catch (OutOfMemoryError e) {
      // Spark would end the executor because of this error.
      idle.clear();
      if (bytes > configuredBytes) {
        canGrow = false;
        LOG.warn(
            "Shrinking staging buffers to {} bytes: no direct memory (-XX:MaxDirectMemorySize) for"
                + " {}: {}",
            configuredBytes,
            bytes,
            e.getMessage());
      }
    }
    return DirectMemory.require(
        "two staging buffers of %d bytes",
        configuredBytes, "spark.symshuffle.staging.size", () -> acquireBytes(configuredBytes));
  }

  /** Returns buffers to the pool; the caller must not use them afterwards. */
  public void release(Buffers buffers) {
    int bytes = (int) buffers.staging().byteSize();
    if (canGrow || bytes == configuredBytes) {
      idle.computeIfAbsent(bytes, b -> new ConcurrentLinkedQueue<>()).add(buffers);
    }
  }

  /** Drops unused buffers that are larger than the configured size. */
  void trim() {
    idle.keySet().removeIf(bytes -> bytes > configuredBytes);
  }

  private Buffers acquireBytes(int bytes) {
    Queue<Buffers> queue = idle.get(bytes);
    Buffers buffers = queue == null ? null : queue.poll();
    return buffers != null ? buffers : Buffers.allocate(bytes);
  }
}
