// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.device;

import static java.util.Objects.requireNonNull;

import io.symshuffle.kernel.RowPartitionPlan;
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
 * What the tasks of this executor share to write records of CPU operators into GPU memory and to
 * read them from there: ferries, which are kept for the next task since pinning memory takes longer
 * than filling it.
 *
 * <p>When a GPU call fails, or does not end, all of it is given up for this executor: its tasks
 * write to the host heap from then on, and read records of GPUs by Spark's block transfer.
 *
 * <p>Thread-safe.
 */
public final class DeviceRows implements AutoCloseable {
  /**
   * Bytes of records that a task gathers for one run, and of one fetch: a run of 8 MiB has blocks
   * of some KiB with 3,000 partitions, and takes PCIe and kernels about a tenth of the time in
   * which a CPU core fills it (calculated, not measured).
   */
  public static final int FERRY_BYTES = 8 << 20;

  /** Longest wait for a run or a fetch, both of which take milliseconds. */
  public static final Duration LIMIT = Duration.ofSeconds(60);

  /** Bytes of a short record with its header; more records than of this length start a new run. */
  private static final int SHORT_RECORD_BYTES = 24;

  private static final long ALIGNMENT = 256;
  private static final Logger LOG = LoggerFactory.getLogger(DeviceRows.class);

  private final DeviceTier tier;
  private final int ferryBytes;
  private final Duration limit;
  private final Deque<Ferry> forWriting = new ArrayDeque<>();
  private final Deque<Ferry> forReading = new ArrayDeque<>();
  private final AtomicReference<String> trouble = new AtomicReference<>();
  private final AtomicBoolean full = new AtomicBoolean();
  private final AtomicInteger inUse = new AtomicInteger();
  private boolean closed;

  /**
   * Starts without ferries.
   *
   * @param tier this executor's part in the device heap
   * @param ferryBytes bytes of a run or of a fetch at most, a multiple of 8; see {@link
   *     #FERRY_BYTES}
   * @param limit longest wait for the GPU; see {@link #LIMIT}
   */
  public DeviceRows(DeviceTier tier, int ferryBytes, Duration limit) {
    this.tier = requireNonNull(tier, "tier is null");
    this.limit = requireNonNull(limit, "limit is null");
    if (ferryBytes < 1024 || ferryBytes % 8 != 0 || ferryBytes > RowPartitionPlan.MOST_BYTES) {
      throw new IllegalArgumentException("ferries of %d bytes".formatted(ferryBytes));
    }
    this.ferryBytes = ferryBytes;
  }

  /** {@return this executor's part in the device heap} */
  public DeviceTier tier() {
    return tier;
  }

  /** {@return longest wait for the GPU to make a run, or to bring a fetch} */
  public Duration limit() {
    return limit;
  }

  /**
   * {@return ferries that tasks hold, and those that were lost because the GPU did not come to
   * rest}
   */
  public int ferriesInUse() {
    return inUse.get();
  }

  /** {@return bytes of a run, or of a fetch, at most} */
  public int ferryBytes() {
    return ferryBytes;
  }

  /** {@return records of a run at most} */
  public int mostRecords() {
    return ferryBytes / SHORT_RECORD_BYTES;
  }

  /** {@return bytes of the list of where groups of records start, behind the records of a ferry} */
  public int groupListBytes() {
    return Integer.BYTES * (mostRecords() / RowPartitionPlan.GROUP_RECORDS + 1);
  }

  /** {@return whether the GPU has not failed yet} */
  public boolean isUsable() {
    return trouble.get() == null;
  }

  /** {@return why it is given up, if it is} */
  public Optional<String> trouble() {
    return Optional.ofNullable(trouble.get());
  }

  /**
   * A ferry for a run: {@code ferryBytes + groupListBytes} of host memory; in GPU memory the same,
   * and temporary memory behind it.
   *
   * @return the ferry; empty if there is no memory, or the GPU is given up
   */
  public Optional<Ferry> ferryForWriting() {
    return take(forWriting, true);
  }

  /**
   * A ferry for a fetch: {@code ferryBytes} of host and of GPU memory.
   *
   * @return the ferry; empty if there is no memory, or the GPU is given up
   */
  public Optional<Ferry> ferryForReading() {
    return take(forReading, false);
  }

  /** Where the list of group starts begins, and temporary memory, in the ferries for writing. */
  public long groupListOffset() {
    return aligned(ferryBytes);
  }

  /** Where temporary memory begins in the GPU memory of ferries for writing. */
  public long temporaryOffset() {
    return groupListOffset() + aligned(groupListBytes());
  }

  /** Takes a ferry back that is at rest. */
  public void give(Ferry ferry) {
    requireNonNull(ferry, "ferry is null");
    inUse.decrementAndGet();
    synchronized (this) {
      // Also when the GPU has failed: a thread that outlives its task may still read there.
      if (!closed) {
        (ferry.writes() ? forWriting : forReading).push(ferry);
        return;
      }
    }
    ferry.close();
  }

  /**
   * Gives GPU memory up as a place for records on this executor.
   *
   * @param reason what happened
   */
  public void giveUp(String reason) {
    if (trouble.compareAndSet(null, requireNonNull(reason, "reason is null"))) {
      LOG.error(
          "Records of this executor go through the host heap from now on, and those in GPU memory"
              + " come by block transfer: {}",
          reason);
    }
  }

  private Optional<Ferry> take(Deque<Ferry> idle, boolean writes) {
    if (!isUsable()) {
      return Optional.empty();
    }
    synchronized (this) {
      Ferry ferry = idle.poll();
      if (ferry != null) {
        inUse.incrementAndGet();
        return Optional.of(ferry);
      }
    }
    long hostBytes = writes ? groupListOffset() + groupListBytes() : ferryBytes;
    long gpuBytes = writes ? temporaryOffset() + temporaryBytes() : ferryBytes;
    try {
      Ferry ferry = Ferry.open(tier.context(), writes, hostBytes, gpuBytes);
      inUse.incrementAndGet();
      return Optional.of(ferry);
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
        tier.kernels().multiprocessors(), mostRecords(), RowPartitionPlan.MOST_PARTITIONS);
  }

  private static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Gives the ferries back that no task holds. */
  @Override
  public synchronized void close() {
    closed = true;
    forWriting.forEach(Ferry::close);
    forReading.forEach(Ferry::close);
    forWriting.clear();
    forReading.clear();
  }
}
