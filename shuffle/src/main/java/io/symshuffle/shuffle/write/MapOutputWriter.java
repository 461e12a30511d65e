// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import io.symshuffle.shuffle.layout.RunIndexDescriptor;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.StagingPool;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/**
 * Writes one map output: stages records, sorts each full buffer into a run, and stores the run in
 * the HOST tier, or in the DISK tier if the heap is full.
 *
 * <p>Life cycle: {@code append}..., then {@link #commit} or {@link #abort}. Used by one task
 * thread.
 */
public final class MapOutputWriter implements TaskOutput {
  private final RowOutputBuilder output;
  private final StagingPool pool;
  private final int partitions;
  private final boolean checksum;
  private final SortShuffleSizes sizes;
  private final ShuffleStats stats;
  private final int shuffleId;
  private final long[] partitionBytes;
  private final StagingPool.Buffers buffers;
  private final RunBuilder builder;
  private boolean released;
  private long nanos;

  /**
   * @param output the builder of the map output; committed or aborted with this writer
   * @param sizes samples the runs
   */
  MapOutputWriter(
      RowOutputBuilder output,
      StagingPool pool,
      int partitions,
      boolean checksum,
      SortShuffleSizes sizes,
      ShuffleStats stats) {
    this.output = output;
    this.pool = pool;
    this.sizes = sizes;
    this.stats = stats;
    this.shuffleId = output.id().shuffleId();
    this.partitions = partitions;
    this.checksum = checksum;
    this.partitionBytes = new long[partitions];
    this.buffers = acquire(pool);
    this.builder = new RunBuilder(buffers.staging(), buffers.run(), partitions);
  }

  /** Starts a map output of records, without an estimate of compressed sizes. */
  public static MapOutputWriter open(ShuffleRuntime runtime, MapOutputId id, int partitions) {
    return open(runtime, id, partitions, new SortShuffleSizes(UnaryOperator.identity(), false));
  }

  static MapOutputWriter open(
      ShuffleRuntime runtime, MapOutputId id, int partitions, SortShuffleSizes sizes) {
    return new MapOutputWriter(
        runtime.store().buildRows(id, partitions),
        runtime.staging(),
        partitions,
        runtime.config().checksum(),
        sizes,
        runtime.stats());
  }

  /** Has samples of the records that are written. */
  SortShuffleSizes sizes() {
    return sizes;
  }

  /**
   * Appends a record; see {@link RunBuilder#append} for the arguments.
   *
   * @throws IllegalStateException after commit or abort, when other tasks may use the buffers
   * @throws IOException if all tiers are full
   */
  public void append(int partition, Object object, long offset, int length) throws IOException {
    if (!builder.append(partition, object, offset, length)) {
      flush();
      if (!builder.append(partition, object, offset, length)) {
        writeLargeRecord(partition, object, offset, length);
      }
    }
  }

  @Override
  public void commit() throws IOException {
    flush();
    long start = System.nanoTime();
    if (output.commit()) {
      stats.published(shuffleId);
    }
    nanos += System.nanoTime() - start;
    releaseStaging();
  }

  @Override
  public void abort() {
    output.abort();
    releaseStaging();
  }

  @Override
  public long[] partitionBytes() {
    return partitionBytes;
  }

  /** {@inheritDoc} Includes headers of groups. */
  @Override
  public long dataBytes() {
    return LongStream.of(partitionBytes).sum();
  }

  @Override
  public long nanos() {
    return nanos;
  }

  /**
   * Stores the staged records as a run.
   *
   * @throws IOException if heap and disk are full
   */
  private void flush() throws IOException {
    int bytes = builder.bytes();
    if (bytes == 0) {
      return;
    }
    long start = System.nanoTime();
    int[] bytesOf = builder.bytesByPartition();
    for (int p = 0; p < partitions; p++) {
      partitionBytes[p] += bytesOf[p];
    }
    place(builder.sort(checksum), builder.run());
    nanos += System.nanoTime() - start;
  }

  private void place(BlockTable blocks, MemorySegment run) throws IOException {
    sizes.add(run, blocks);
    stats.wrote(shuffleId, output.addRun(run, blocks), run.byteSize());
  }

  /** Stores a record that is larger than the staging buffer as a separate run. */
  private void writeLargeRecord(int partition, Object object, long offset, int length)
      throws IOException {
    if (released) {
      throw new IllegalStateException(
          "cannot append a record of %d bytes: its map output was committed or aborted"
              .formatted(length));
    }
    long start = System.nanoTime();
    if (length > RecordDescriptor.MAX_LENGTH) {
      throw new IOException(
          "a record of %d bytes is too long to shuffle; the maximum is %d bytes"
              .formatted(length, RecordDescriptor.MAX_LENGTH));
    }
    long bytes = RecordDescriptor.sizeOf(length);
    partitionBytes[partition] += bytes;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment run =
          DirectMemory.require(
              "a record of %d bytes", bytes, () -> arena.allocate(bytes, Long.BYTES));
      RunBuilder.writeGroup(run.address(), object, offset, length);
      place(singleBlock(partition, run), run);
    }
    nanos += System.nanoTime() - start;
  }

  private BlockTable singleBlock(int partition, MemorySegment run) {
    return new BlockTable(
        1,
        new int[] {partition},
        new int[] {0, (int) (run.byteSize() / RunIndexDescriptor.START_UNIT)},
        new int[] {checksum ? Crc32c.of(run, 0, run.byteSize()) : 0});
  }

  private StagingPool.Buffers acquire(StagingPool from) {
    boolean acquired = false;
    try {
      StagingPool.Buffers result = from.acquire(partitions);
      acquired = true;
      return result;
    } finally {
      if (!acquired) {
        output.abort();
      }
    }
  }

  private void releaseStaging() {
    if (!released) {
      released = true;
      builder.close();
      pool.release(buffers);
    }
  }
}
