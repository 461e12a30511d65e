// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static java.util.Objects.requireNonNull;

import io.symshuffle.kernel.RowPartitionPlan;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transfer buffers with which the tasks of this executor write records of CPU operators to GPU
 * memory and read them. Later tasks reuse the buffers, since pinning memory takes longer than
 * filling it.
 *
 * <p>When a GPU call fails or times out, this class is disabled: from then on, the executor's tasks
 * write to the host heap, and fetch records in GPU memory through Spark's block transfer.
 *
 * <p>Thread-safe.
 */
final class DeviceRows implements AutoCloseable {
  /**
   * Maximum size of a run or a fetch, in bytes. A run of 8 MiB has blocks of a few KiB with 3,000
   * partitions, and PCIe and kernels need about a tenth of the time in which a CPU core fills it
   * (calculated, not measured).
   */
  static final int BUFFER_BYTES = 8 << 20;

  /** Timeout for a run or a fetch, both of which take milliseconds. */
  static final Duration LIMIT = Duration.ofSeconds(60);

  /**
   * Size of a short record with its header, in bytes; it determines the maximum number of records
   * of a run.
   */
  private static final int SHORT_RECORD_BYTES = 24;

  private static final long ALIGNMENT = 256;
  private static final Logger LOG = LoggerFactory.getLogger(DeviceRows.class);

  private final DeviceTier tier;
  private final int bufferBytes;
  private final Duration limit;
  private final Deque<TransferBuffer> writeBuffers = new ArrayDeque<>();
  private final Deque<TransferBuffer> readBuffers = new ArrayDeque<>();
  private final AtomicReference<String> failure = new AtomicReference<>();
  private final AtomicBoolean full = new AtomicBoolean();
  private final AtomicInteger inUse = new AtomicInteger();
  private boolean closed;

  /**
   * Starts without buffers.
   *
   * @param tier this executor's part of the device heap
   * @param bufferBytes maximum size of a run or a fetch, a multiple of 8; see {@link #BUFFER_BYTES}
   * @param limit timeout for work of the GPU; see {@link #LIMIT}
   */
  DeviceRows(DeviceTier tier, int bufferBytes, Duration limit) {
    this.tier = requireNonNull(tier, "tier is null");
    this.limit = requireNonNull(limit, "limit is null");
    if (bufferBytes < 1024 || bufferBytes % 8 != 0 || bufferBytes > RowPartitionPlan.MAX_BYTES) {
      throw new IllegalArgumentException("invalid buffer size: %d bytes".formatted(bufferBytes));
    }
    this.bufferBytes = bufferBytes;
  }

  /**
   * {@return the instance of a runtime, which closes it; empty if records stay in the host heap or
   * there is no device heap}
   */
  static Optional<DeviceRows> of(ShuffleRuntime runtime) {
    if (!runtime.config().deviceRows()) {
      return Optional.empty();
    }
    return runtime
        .device()
        .map(
            tier ->
                runtime.shared(DeviceRows.class, () -> new DeviceRows(tier, BUFFER_BYTES, LIMIT)));
  }

  /** {@return this executor's part of the device heap} */
  DeviceTier tier() {
    return tier;
  }

  /** {@return timeout for the GPU to build a run or to complete a fetch} */
  Duration limit() {
    return limit;
  }

  /** {@return the time until a deadline of {@link System#nanoTime}; 0 if it has passed} */
  static Duration until(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  /**
   * {@return number of buffers that tasks hold, or that were leaked because the GPU did not finish
   * its work}
   */
  int buffersInUse() {
    return inUse.get();
  }

  /** {@return maximum size of a run or a fetch, in bytes} */
  int bufferBytes() {
    return bufferBytes;
  }

  /** {@return maximum number of records of a run} */
  int maxRecords() {
    return bufferBytes / SHORT_RECORD_BYTES;
  }

  /**
   * {@return size in bytes of the list of record group starts, which follows the records in a
   * buffer}
   */
  int groupListBytes() {
    return Integer.BYTES * (maxRecords() / RowPartitionPlan.GROUP_RECORDS + 1);
  }

  /** {@return whether the GPU has not failed yet} */
  boolean isUsable() {
    return failure.get() == null;
  }

  /** {@return why this class was disabled, if it was} */
  Optional<String> failure() {
    return Optional.ofNullable(failure.get());
  }

  /**
   * Acquires a buffer for a run: {@code bufferBytes + groupListBytes} of host memory; in GPU memory
   * the same, followed by temporary memory.
   *
   * @return the buffer; empty if there is no memory, or this class is disabled
   */
  Optional<TransferBuffer> acquireWriteBuffer() {
    return acquire(writeBuffers, true);
  }

  /**
   * Acquires a buffer for a fetch: {@code bufferBytes} of host and of GPU memory.
   *
   * @return the buffer; empty if there is no memory, or this class is disabled
   */
  Optional<TransferBuffer> acquireReadBuffer() {
    return acquire(readBuffers, false);
  }

  /** Offset of the list of group starts in buffers for writing. */
  long groupListOffset() {
    return aligned(bufferBytes);
  }

  /** Offset of temporary memory in the GPU memory of buffers for writing. */
  long temporaryOffset() {
    return groupListOffset() + aligned(groupListBytes());
  }

  /** Returns an idle buffer. */
  void release(TransferBuffer buffer) {
    requireNonNull(buffer, "buffer is null");
    inUse.decrementAndGet();
    synchronized (this) {
      // Keep it even if the GPU failed: a thread that outlives its task may still read it.
      if (!closed) {
        (buffer.forWriting() ? writeBuffers : readBuffers).push(buffer);
        return;
      }
    }
    buffer.close();
  }

  /**
   * Stops using GPU memory for records on this executor.
   *
   * @param reason what happened
   */
  void disable(String reason) {
    if (failure.compareAndSet(null, requireNonNull(reason, "reason is null"))) {
      LOG.error(
          "This executor now writes records to the host heap and fetches those in GPU memory"
              + " through block transfer: {}",
          reason);
    }
  }

  private Optional<TransferBuffer> acquire(Deque<TransferBuffer> idle, boolean forWriting) {
    if (!isUsable()) {
      return Optional.empty();
    }
    synchronized (this) {
      TransferBuffer buffer = idle.poll();
      if (buffer != null) {
        inUse.incrementAndGet();
        return Optional.of(buffer);
      }
    }
    long hostBytes = forWriting ? groupListOffset() + groupListBytes() : bufferBytes;
    long gpuBytes = forWriting ? temporaryOffset() + temporaryBytes() : bufferBytes;
    try {
      TransferBuffer buffer = TransferBuffer.open(tier.context(), forWriting, hostBytes, gpuBytes);
      inUse.incrementAndGet();
      return Optional.of(buffer);
    } catch (RuntimeException e) {
      if (full.compareAndSet(false, true)) {
        LOG.warn(
            "Cannot allocate {} more bytes of pinned memory and {} of GPU memory; some tasks do not"
                + " use the device heap: {}",
            hostBytes,
            gpuBytes,
            e.getMessage());
      }
      return Optional.empty();
    }
  }

  private long temporaryBytes() {
    return RowPartitionPlan.maxTemporaryBytes(
        tier.kernels().multiprocessors(), maxRecords(), RowPartitionPlan.MAX_PARTITIONS);
  }

  private static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Releases the buffers that no task holds. */
  @Override
  public synchronized void close() {
    closed = true;
    writeBuffers.forEach(TransferBuffer::close);
    readBuffers.forEach(TransferBuffer::close);
    writeBuffers.clear();
    readBuffers.clear();
  }
}
