// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.heap.Slab;
import io.symshuffle.kernel.RowPartition;
import io.symshuffle.kernel.RowPartitionPlan;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.write.RunBuilder;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.apache.spark.unsafe.Platform;

/**
 * Gathers records in the pinned memory of a buffer, and has the GPU sort them by partition into a
 * slab of the device heap. {@link RunBuilder} does the same on the CPU; both produce the same
 * bytes.
 *
 * <p>Repeated life cycle: {@code append}..., {@link #queue}, {@link #await}. Between {@code queue}
 * and {@code await} the GPU is working, and nothing may be appended. Not thread-safe.
 */
final class DeviceRunBuilder {
  private final DeviceRows rows;
  private final TransferBuffer buffer;
  private final int partitions;
  private final long base;
  private final long groupList;
  private final int maxRecords;
  private int capacity;
  private int used;
  private int records;
  private Slab slab;
  private RowPartition work;

  /** Accepts records in native memory. */
  @FunctionalInterface
  interface RecordSink {
    void append(int partition, long address, int length) throws IOException;
  }

  /**
   * Starts empty.
   *
   * @param buffer a buffer for writing; {@link #release} returns it
   * @param partitions number of partitions of the shuffle, up to {@link
   *     RowPartitionPlan#MAX_PARTITIONS}
   */
  DeviceRunBuilder(DeviceRows rows, TransferBuffer buffer, int partitions) {
    this.rows = requireNonNull(rows, "rows is null");
    this.buffer = requireNonNull(buffer, "buffer is null");
    this.partitions = partitions;
    this.base = buffer.host().address();
    this.groupList = base + rows.groupListOffset();
    this.maxRecords = rows.maxRecords();
    this.capacity = rows.bufferBytes();
  }

  /**
   * Appends a record; see {@link RunBuilder#append} for the arguments.
   *
   * @return false, without appending it, if it does not fit
   */
  boolean append(int partition, Object object, long offset, int length) {
    long size = RecordDescriptor.sizeOf(length);
    if (size > capacity - used || records == maxRecords) {
      return false;
    }
    if (records % RowPartitionPlan.GROUP_RECORDS == 0) {
      Platform.putInt(
          null,
          groupList + (long) Integer.BYTES * (records / RowPartitionPlan.GROUP_RECORDS),
          used / Long.BYTES);
    }
    RunBuilder.writeRecord(base + used, partition, object, offset, length);
    used += (int) size;
    records++;
    return true;
  }

  /** Size of the gathered records, or of the run that the GPU builds, in bytes. */
  int bytes() {
    return used;
  }

  /** The slab of the run that the GPU builds, or null. */
  Slab slab() {
    return slab;
  }

  /** Whether the GPU is building a run. */
  boolean isQueued() {
    return slab != null;
  }

  /** Passes the gathered records to a sink, in order; empty afterwards. */
  void drainTo(RecordSink to) throws IOException {
    long end = base + used;
    for (long at = base; at < end; ) {
      int length = Platform.getInt(null, at + RecordDescriptor.LENGTH_OFFSET);
      int partition = Platform.getInt(null, at + RecordDescriptor.PARTITION_OFFSET);
      to.append(partition, at + RecordDescriptor.HEADER_BYTES, length);
      at += RecordDescriptor.sizeOf(length);
    }
    clear();
  }

  /**
   * Copies the records to the GPU and starts building the run.
   *
   * @param to a slab of this PE's window, of at least {@link #bytes} bytes
   * @param checksum whether to compute the blocks' CRC32C
   */
  void queue(Slab to, boolean checksum) {
    // From here on, the GPU may be using buffer and slab, even if a call fails.
    slab = requireNonNull(to, "to is null");
    RowPartitionPlan plan =
        RowPartitionPlan.of(rows.tier().kernels().multiprocessors(), used, records, partitions);
    DeviceRange gpu = buffer.gpu();
    DeviceRange staging = gpu.slice(0, used);
    DeviceRange groups = gpu.slice(rows.groupListOffset(), plan.groupStartsBytes());
    RowPartition.Memory memory =
        new RowPartition.Memory(
            staging,
            groups,
            rows.tier().window().slice(to.offset(), used),
            gpu.slice(rows.temporaryOffset(), plan.temporaryBytes()));
    work = rows.tier().kernels().rowPartition(plan, memory, checksum);
    CudaStream stream = buffer.stream();
    MemorySegment host = buffer.host();
    stream.copyIn(staging, host.asSlice(0, used));
    stream.copyIn(groups, host.asSlice(rows.groupListOffset(), groups.bytes()));
    work.queue(stream);
  }

  /**
   * Waits for the run; afterwards the builder is empty and accepts records again.
   *
   * @return the run's blocks
   * @throws TimeoutException if it is not complete after {@code limit}; the GPU continues
   * @throws RuntimeException if a kernel or the GPU failed
   */
  BlockTable await(Duration limit) throws TimeoutException {
    RowPartition.Blocks blocks = work.await(buffer.stream(), limit);
    work.close();
    work = null;
    slab = null;
    clear();
    return new BlockTable(blocks.count(), blocks.partitions(), blocks.starts(), blocks.checksums());
  }

  /** Rejects all further records. */
  void close() {
    capacity = 0;
    clear();
  }

  /**
   * Waits until the GPU no longer uses the buffer or the slab, then returns the buffer.
   *
   * @throws TimeoutException if that takes longer than {@code limit}; the buffer is leaked then
   * @throws RuntimeException if the GPU failed; the buffer is leaked then
   */
  void release(Duration limit) throws TimeoutException {
    close();
    try {
      if (isQueued()) {
        buffer.awaitIdle(limit);
      }
    } finally {
      if (work != null) {
        work.close();
        work = null;
      }
    }
    slab = null;
    rows.release(buffer);
  }

  private void clear() {
    used = 0;
    records = 0;
  }
}
