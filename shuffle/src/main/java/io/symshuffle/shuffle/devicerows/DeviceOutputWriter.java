// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.Slab;
import io.symshuffle.kernel.KernelException;
import io.symshuffle.kernel.RowPartitionPlan;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.StagingPool;
import io.symshuffle.shuffle.write.MapOutputWriter;
import io.symshuffle.shuffle.write.RecordOutput;
import io.symshuffle.shuffle.write.RecordOutputFactory;
import io.symshuffle.shuffle.write.WriteCounters;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Writes one map output into the device heap. While the GPU builds a run of one buffer's records,
 * the task fills the other buffer.
 *
 * <p>When the device heap has no space for a run, {@link MapOutputWriter} writes the records of
 * that run and all later ones to the host heap. It also writes records that are longer than a
 * buffer. The order of a partition's records is preserved.
 */
public final class DeviceOutputWriter implements RecordOutput {
  private final DeviceRows rows;
  private final RowOutputBuilder output;
  private final StagingPool pool;
  private final int partitions;
  private final boolean checksum;
  private final ShuffleStats stats;
  private final WriteCounters counters;
  private final long[] partitionBytes;
  private DeviceRunBuilder filling;

  /** The other buffer: empty, or its run is being built; null until it is needed. */
  private DeviceRunBuilder other;

  /** Writes records to the host heap; null until there are any. */
  private MapOutputWriter host;

  /** Whether all further records are written to the host heap. */
  private boolean hostOnly;

  private boolean ended;
  private long nanos;

  private DeviceOutputWriter(
      DeviceRows rows,
      TransferBuffer buffer,
      RowOutputBuilder output,
      StagingPool pool,
      int partitions,
      boolean checksum,
      ShuffleStats stats) {
    this.rows = requireNonNull(rows, "rows is null");
    this.output = requireNonNull(output, "output is null");
    this.pool = requireNonNull(pool, "pool is null");
    this.stats = requireNonNull(stats, "stats is null");
    this.counters = new WriteCounters(stats, output.id().shuffleId());
    this.partitions = partitions;
    this.checksum = checksum;
    this.partitionBytes = new long[partitions];
    this.filling = new DeviceRunBuilder(rows, buffer, partitions);
  }

  /**
   * Opens outputs for shuffles whose records are written to the device heap; a {@link
   * RecordOutputFactory}.
   */
  public static RecordOutput open(ShuffleRuntime runtime, MapOutputId id, int partitions) {
    RowOutputBuilder output = runtime.store().buildRows(id, partitions);
    StagingPool pool = runtime.staging();
    boolean checksum = runtime.config().checksum();
    ShuffleStats stats = runtime.stats();
    return DeviceRows.of(runtime)
        .flatMap(rows -> open(rows, output, pool, partitions, checksum, stats))
        .orElseGet(() -> new MapOutputWriter(output, pool, partitions, checksum, stats));
  }

  /**
   * Starts a map output.
   *
   * @return its writer; empty if the GPU cannot be used now, so that {@link MapOutputWriter} must
   *     write the records
   */
  static Optional<RecordOutput> open(
      DeviceRows rows,
      RowOutputBuilder output,
      StagingPool pool,
      int partitions,
      boolean checksum,
      ShuffleStats stats) {
    if (partitions > RowPartitionPlan.MAX_PARTITIONS) {
      return Optional.empty();
    }
    return rows.acquireWriteBuffer()
        .map(
            buffer ->
                new DeviceOutputWriter(rows, buffer, output, pool, partitions, checksum, stats));
  }

  @Override
  public void append(int partition, Object object, long offset, int length) throws IOException {
    if (hostOnly) {
      host().append(partition, object, offset, length);
    } else if (!filling.append(partition, object, offset, length)) {
      appendToNext(partition, object, offset, length);
    }
    partitionBytes[partition] += RecordDescriptor.sizeOf(length);
  }

  private void appendToNext(int partition, Object object, long offset, int length)
      throws IOException {
    if (ended) {
      throw new IllegalStateException(
          "cannot append a record of %d bytes: its map output was committed or aborted"
              .formatted(length));
    }
    swapBuffers();
    if (hostOnly) {
      host().append(partition, object, offset, length);
    } else if (!filling.append(partition, object, offset, length)) {
      // Longer than a buffer. Earlier records come first.
      finishAll();
      host().append(partition, object, offset, length);
      host().flush();
    }
  }

  @Override
  public void commit() throws IOException {
    if (!hostOnly) {
      queueRun();
      finishAll();
    }
    if (host != null) {
      host.commit();
    } else {
      long start = System.nanoTime();
      if (output.commit()) {
        counters.published();
      }
      nanos += System.nanoTime() - start;
    }
    ended = true;
    release();
  }

  @Override
  public void abort() {
    if (!ended) {
      ended = true;
      hostOnly = false;
      if (!release()) {
        output.leakDeviceSlabs();
      }
    }
    if (host != null) {
      host.abort();
    }
    output.abort();
  }

  @Override
  public long[] partitionBytes() {
    return partitionBytes;
  }

  @Override
  public long nanos() {
    return host == null ? nanos : nanos + host.nanos();
  }

  /** Queues the full buffer for the GPU and continues with the other one. */
  private void swapBuffers() throws IOException {
    queueRun();
    if (hostOnly) {
      return;
    }
    if (other == null) {
      Optional<TransferBuffer> buffer = rows.acquireWriteBuffer();
      other = buffer.isPresent() ? new DeviceRunBuilder(rows, buffer.get(), partitions) : null;
    }
    if (other == null) {
      finish(filling);
    } else {
      finish(other);
      DeviceRunBuilder next = other;
      other = filling;
      filling = next;
    }
  }

  /**
   * Queues the gathered records; if the device heap has no space for them, they and all later ones
   * are written to the host heap.
   */
  private void queueRun() throws IOException {
    int bytes = filling.bytes();
    if (bytes == 0) {
      return;
    }
    long start = System.nanoTime();
    Optional<Slab> slab = output.allocateDevice(bytes);
    if (slab.isPresent()) {
      try {
        filling.queue(slab.get(), checksum);
      } catch (RuntimeException e) {
        throw failed(e);
      }
      nanos += System.nanoTime() - start;
      return;
    }
    nanos += System.nanoTime() - start;
    if (other != null) {
      finish(other);
    }
    hostOnly = true;
    MapOutputWriter to = host();
    filling.drainTo((partition, address, length) -> to.append(partition, null, address, length));
  }

  /** Waits for all queued runs, the older one first. */
  private void finishAll() throws IOException {
    if (other != null) {
      finish(other);
    }
    finish(filling);
  }

  private void finish(DeviceRunBuilder builder) throws IOException {
    if (!builder.isQueued()) {
      return;
    }
    long start = System.nanoTime();
    long bytes = builder.bytes();
    Slab slab = builder.slab();
    BlockTable blocks;
    try {
      blocks = builder.await(rows.limit());
    } catch (TimeoutException | RuntimeException e) {
      throw failed(e);
    }
    output.addDeviceRun(slab, bytes, blocks);
    counters.wrote(Tier.DEVICE, bytes);
    nanos += System.nanoTime() - start;
  }

  /**
   * Fails the task; its next attempt uses the host heap, unless the kernels only rejected a run.
   */
  private IOException failed(Exception cause) {
    String what = "the GPU failed to build a run of shuffle data: " + cause.getMessage();
    if (!(cause instanceof KernelException)) {
      rows.disable(what);
    }
    return new IOException(what, cause);
  }

  private MapOutputWriter host() {
    if (host == null) {
      host = new MapOutputWriter(output, pool, partitions, checksum, stats);
    }
    return host;
  }

  /**
   * Returns the buffers. It waits for both together as long as for one.
   *
   * @return false if the GPU may still be writing to slabs
   */
  private boolean release() {
    long deadline = System.nanoTime() + rows.limit().toNanos();
    boolean released = release(filling, deadline);
    return (other == null || release(other, deadline)) && released;
  }

  private boolean release(DeviceRunBuilder builder, long deadline) {
    try {
      builder.release(DeviceRows.until(deadline));
      return true;
    } catch (TimeoutException | RuntimeException e) {
      rows.disable("the GPU did not finish its work: " + e.getMessage());
      return false;
    }
  }
}
