// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static java.util.Objects.requireNonNull;

import io.symshuffle.kernel.RowPartitionPlan;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.device.DeviceTier;
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
 * What the tasks of this executor share to write records of CPU operators to GPU memory and to read
 * them: transfer buffers. They are kept for the next task, since pinning memory takes longer than
 * filling it.
 *
 * <p>When a GPU call fails or does not end, GPU memory is given up for this executor: from then on
 * its tasks write to the host heap, and read records in GPU memory through Spark's block transfer.
 *
 * <p>Thread-safe.
 */
final class DeviceRows implements AutoCloseable {
  /**
   * Bytes of records that a task gathers for one run, and of one fetch: a run of 8 MiB has blocks
   * of some KiB with 3,000 partitions, and takes PCIe and kernels about a tenth of the time in
   * which a CPU core fills it (calculated, not measured).
   */
  static final int BUFFER_BYTES = 8 << 20;

  /** Time limit for a run or a fetch, both of which take milliseconds. */
  static final Duration LIMIT = Duration.ofSeconds(60);

  /** Bytes of a short record with its header; more records than of this length start a new run. */
  private static final int SHORT_RECORD_BYTES = 24;

  private static final long ALIGNMENT = 256;
  private static final Logger LOG = LoggerFactory.getLogger(DeviceRows.class);

  private final DeviceTier tier;
  private final int bufferBytes;
  private final Duration limit;
  private final Deque<TransferBuffer> forWriting = new ArrayDeque<>();
  private final Deque<TransferBuffer> forReading = new ArrayDeque<>();
  private final AtomicReference<String> trouble = new AtomicReference<>();
  private final AtomicBoolean full = new AtomicBoolean();
  private final AtomicInteger inUse = new AtomicInteger();
  private boolean closed;

  /**
   * Starts without buffers.
   *
   * @param tier this executor's part in the device heap
   * @param bufferBytes bytes of a run or of a fetch at most, a multiple of 8; see {@link
   *     #BUFFER_BYTES}
   * @param limit time limit for work of the GPU; see {@link #LIMIT}
   */
  DeviceRows(DeviceTier tier, int bufferBytes, Duration limit) {
    this.tier = requireNonNull(tier, "tier is null");
    this.limit = requireNonNull(limit, "limit is null");
    if (bufferBytes < 1024 || bufferBytes % 8 != 0 || bufferBytes > RowPartitionPlan.MAX_BYTES) {
      throw new IllegalArgumentException("buffers of %d bytes".formatted(bufferBytes));
    }
    this.bufferBytes = bufferBytes;
  }

  /**
   * {@return the one of a runtime, which closes it; empty if records stay in the host heap, or
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

  /** {@return this executor's part in the device heap} */
  DeviceTier tier() {
    return tier;
  }

  /** {@return time limit for the GPU to build a run or to complete a fetch} */
  Duration limit() {
    return limit;
  }

  /**
   * {@return number of buffers that tasks hold, or that are not used again because the GPU did not
   * finish its work}
   */
  int buffersInUse() {
    return inUse.get();
  }

  /** {@return bytes of a run, or of a fetch, at most} */
  int bufferBytes() {
    return bufferBytes;
  }

  /** {@return records of a run at most} */
  int maxRecords() {
    return bufferBytes / SHORT_RECORD_BYTES;
  }

  /**
   * {@return bytes of the list of the starts of record groups, which follows the records in a
   * buffer}
   */
  int groupListBytes() {
    return Integer.BYTES * (maxRecords() / RowPartitionPlan.GROUP_RECORDS + 1);
  }

  /** {@return whether the GPU has not failed yet} */
  boolean isUsable() {
    return trouble.get() == null;
  }

  /** {@return why it is given up, if it is} */
  Optional<String> trouble() {
    return Optional.ofNullable(trouble.get());
  }

  /**
   * A buffer for a run: {@code bufferBytes + groupListBytes} of host memory; in GPU memory the
   * same, followed by temporary memory.
   *
   * @return the buffer; empty if there is no memory, or the GPU is given up
   */
  Optional<TransferBuffer> bufferForWriting() {
    return take(forWriting, true);
  }

  /**
   * A buffer for a fetch: {@code bufferBytes} of host and of GPU memory.
   *
   * @return the buffer; empty if there is no memory, or the GPU is given up
   */
  Optional<TransferBuffer> bufferForReading() {
    return take(forReading, false);
  }

  /** Offset of the list of group starts in buffers for writing. */
  long groupListOffset() {
    return aligned(bufferBytes);
  }

  /** Offset of temporary memory in the GPU memory of buffers for writing. */
  long temporaryOffset() {
    return groupListOffset() + aligned(groupListBytes());
  }

  /** Takes back an idle buffer. */
  void give(TransferBuffer buffer) {
    requireNonNull(buffer, "buffer is null");
    inUse.decrementAndGet();
    synchronized (this) {
      // Also when the GPU has failed: a thread that outlives its task may still read there.
      if (!closed) {
        (buffer.writes() ? forWriting : forReading).push(buffer);
        return;
      }
    }
    buffer.close();
  }

  /**
   * Gives GPU memory up as a place for records on this executor.
   *
   * @param reason what happened
   */
  void giveUp(String reason) {
    if (trouble.compareAndSet(null, requireNonNull(reason, "reason is null"))) {
      LOG.error(
          "Records of this executor go through the host heap from now on, and those in GPU memory"
              + " come by block transfer: {}",
          reason);
    }
  }

  private Optional<TransferBuffer> take(Deque<TransferBuffer> idle, boolean writes) {
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
    long hostBytes = writes ? groupListOffset() + groupListBytes() : bufferBytes;
    long gpuBytes = writes ? temporaryOffset() + temporaryBytes() : bufferBytes;
    try {
      TransferBuffer buffer = TransferBuffer.open(tier.context(), writes, hostBytes, gpuBytes);
      inUse.incrementAndGet();
      return Optional.of(buffer);
    } catch (RuntimeException e) {
      if (full.compareAndSet(false, true)) {
        LOG.warn(
            "There is no memory for {} bytes of pinned and {} bytes of GPU memory more, so some"
                + " tasks do without the device heap: {}",
            hostBytes,
            gpuBytes,
            e.getMessage());
      }
      return Optional.empty();
    }
  }

  private long temporaryBytes() {
    return RowPartitionPlan.mostTemporaryBytes(
        tier.kernels().multiprocessors(), maxRecords(), RowPartitionPlan.MAX_PARTITIONS);
  }

  private static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Releases the buffers that no task holds. */
  @Override
  public synchronized void close() {
    closed = true;
    forWriting.forEach(TransferBuffer::close);
    forReading.forEach(TransferBuffer::close);
    forWriting.clear();
    forReading.clear();
  }
}
