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
 * read them from there: lanes, which are kept for the next task since pinning memory takes longer
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
  public static final int LANE_BYTES = 8 << 20;

  /** Longest wait for a run or a fetch, both of which take milliseconds. */
  public static final Duration LIMIT = Duration.ofSeconds(60);

  /** Bytes of a short record with its header; more records than of this length start a new run. */
  private static final int SHORT_RECORD_BYTES = 24;

  private static final long ALIGNMENT = 256;
  private static final Logger LOG = LoggerFactory.getLogger(DeviceRows.class);

  private final DeviceTier tier;
  private final int laneBytes;
  private final Duration limit;
  private final Deque<DeviceLane> forWriting = new ArrayDeque<>();
  private final Deque<DeviceLane> forReading = new ArrayDeque<>();
  private final AtomicReference<String> trouble = new AtomicReference<>();
  private final AtomicBoolean full = new AtomicBoolean();
  private final AtomicInteger inUse = new AtomicInteger();
  private boolean closed;

  /**
   * Starts without lanes.
   *
   * @param tier this executor's part in the device heap
   * @param laneBytes bytes of a run or of a fetch at most, a multiple of 8; see {@link #LANE_BYTES}
   * @param limit longest wait for the GPU; see {@link #LIMIT}
   */
  public DeviceRows(DeviceTier tier, int laneBytes, Duration limit) {
    this.tier = requireNonNull(tier, "tier is null");
    this.limit = requireNonNull(limit, "limit is null");
    if (laneBytes < 1024 || laneBytes % 8 != 0 || laneBytes > RowPartitionPlan.MOST_BYTES) {
      throw new IllegalArgumentException("lanes of %d bytes".formatted(laneBytes));
    }
    this.laneBytes = laneBytes;
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
   * {@return lanes that tasks hold, and those that were lost because the GPU did not come to rest}
   */
  public int lanesInUse() {
    return inUse.get();
  }

  /** {@return bytes of a run, or of a fetch, at most} */
  public int laneBytes() {
    return laneBytes;
  }

  /** {@return records of a run at most} */
  public int mostRecords() {
    return laneBytes / SHORT_RECORD_BYTES;
  }

  /** {@return bytes of the list of where groups of records start, behind the records of a lane} */
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
   * A lane for a run: {@code laneBytes + groupListBytes} of host memory; in GPU memory the same,
   * and temporary memory behind it.
   *
   * @return the lane; empty if there is no memory, or the GPU is given up
   */
  public Optional<DeviceLane> laneForWriting() {
    return take(forWriting, true);
  }

  /**
   * A lane for a fetch: {@code laneBytes} of host and of GPU memory.
   *
   * @return the lane; empty if there is no memory, or the GPU is given up
   */
  public Optional<DeviceLane> laneForReading() {
    return take(forReading, false);
  }

  /** Where the list of group starts begins, and temporary memory, in the lanes for writing. */
  public long groupListOffset() {
    return aligned(laneBytes);
  }

  /** Where temporary memory begins in the GPU memory of lanes for writing. */
  public long temporaryOffset() {
    return groupListOffset() + aligned(groupListBytes());
  }

  /** Takes a lane back that is at rest. */
  public void give(DeviceLane lane) {
    requireNonNull(lane, "lane is null");
    inUse.decrementAndGet();
    synchronized (this) {
      if (!closed && isUsable()) {
        (lane.writes() ? forWriting : forReading).push(lane);
        return;
      }
    }
    lane.close();
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

  private Optional<DeviceLane> take(Deque<DeviceLane> idle, boolean writes) {
    if (!isUsable()) {
      return Optional.empty();
    }
    synchronized (this) {
      DeviceLane lane = idle.poll();
      if (lane != null) {
        inUse.incrementAndGet();
        return Optional.of(lane);
      }
    }
    long hostBytes = writes ? groupListOffset() + groupListBytes() : laneBytes;
    long gpuBytes = writes ? temporaryOffset() + temporaryBytes() : laneBytes;
    try {
      DeviceLane lane = DeviceLane.open(tier.context(), writes, hostBytes, gpuBytes);
      inUse.incrementAndGet();
      return Optional.of(lane);
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

  /** Gives the lanes back that no task holds. */
  @Override
  public synchronized void close() {
    closed = true;
    forWriting.forEach(DeviceLane::close);
    forReading.forEach(DeviceLane::close);
    forWriting.clear();
    forReading.clear();
  }
}
