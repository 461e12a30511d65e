// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.Slab;
import io.symshuffle.kernel.Piece;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.write.SortShuffleSizes;
import io.symshuffle.shuffle.write.TaskOutput;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one map output of packed tables: gathers the tables of an input batch, then stores them in
 * the DEVICE tier with one kernel, or in the HOST tier if the device heap or the GPU is full, or
 * else in the DISK tier.
 *
 * <p>Life cycle: {@code add}..., then {@link #commit} or {@link #abort}. Used by one task thread.
 */
final class TableWriter implements TaskOutput {
  /** Tables are stored before the end of the input batch if they have this many bytes. */
  private static final long MAX_GATHERED_BYTES = 512L << 20;

  private static final int DISK_STEP = 8 << 20;
  private static final Logger LOG = LoggerFactory.getLogger(TableWriter.class);

  private final TableOutputBuilder output;
  private final TableCopies copies;
  private final Optional<DeviceTier> device;
  private final boolean checksum;
  private final Optional<TableRowChecksum> rowChecksum;
  private final ShuffleStats stats;
  private final int shuffleId;
  private final SortShuffleSizes sizes;
  private final long[] partitionBytes;
  private final List<Gathered> gathered = new ArrayList<>();
  private long gatheredBytes;
  private boolean sampled;
  private int lastPartition = -1;
  private long dataBytes;
  private long nanos;

  private record Gathered(int partition, PackedTable table) {
    long padded() {
      return TableCopies.aligned(table.data().bytes());
    }
  }

  TableWriter(
      TableOutputBuilder output,
      TableCopies copies,
      Optional<DeviceTier> device,
      int partitions,
      boolean checksum,
      Optional<TableRowChecksum> rowChecksum,
      SortShuffleSizes sizes,
      ShuffleStats stats) {
    this.sizes = sizes;
    this.output = output;
    this.copies = copies;
    this.device = device;
    this.checksum = checksum;
    this.rowChecksum = rowChecksum;
    this.stats = stats;
    this.shuffleId = output.id().shuffleId();
    this.partitionBytes = new long[partitions];
  }

  SortShuffleSizes sizes() {
    return sizes;
  }

  /**
   * Adds a table, which is closed after its bytes are stored.
   *
   * @throws IOException if all tiers are full
   */
  void add(int partition, PackedTable table) throws IOException {
    gathered.add(new Gathered(partition, table));
    rowChecksum.ifPresent(rows -> rows.add(partition, table));
    gatheredBytes += gathered.getLast().padded();
    // Partitions ascend within an input batch. Release the memory of each batch soon.
    boolean nextBatch = partition <= lastPartition;
    lastPartition = partition;
    if (nextBatch || gatheredBytes >= MAX_GATHERED_BYTES) {
      place();
    }
  }

  /**
   * Publishes the map output.
   *
   * @throws IOException if all tiers are full
   */
  @Override
  public void commit() throws IOException {
    place();
    long start = System.nanoTime();
    if (output.commit()) {
      stats.published(shuffleId);
    }
    nanos += System.nanoTime() - start;
    copies.close();
  }

  /**
   * Frees everything except slabs that the GPU may still write to, which are leaked; does nothing
   * after {@link #commit} or a previous call.
   */
  @Override
  public void abort() {
    if (!copies.settle()) {
      output.leakDeviceSlabs();
    }
    releaseTables();
    output.abort();
    copies.close();
  }

  /** Bytes of each partition: long[partitions], complete after commit. */
  @Override
  public long[] partitionBytes() {
    return partitionBytes;
  }

  /** The row checksum, complete after commit; 0 if there is none. */
  long rowChecksum() {
    return rowChecksum.map(TableRowChecksum::value).orElse(0L);
  }

  /** Bytes of all tables' data. */
  @Override
  public long dataBytes() {
    return dataBytes;
  }

  /** Time spent storing and publishing, in nanoseconds. */
  @Override
  public long nanos() {
    return nanos;
  }

  private void place() throws IOException {
    if (gathered.isEmpty()) {
      return;
    }
    long start = System.nanoTime();
    try (Arena arena = Arena.ofConfined()) {
      List<MemorySegment> samples = queueSamples(arena);
      rowChecksum.ifPresent(TableRowChecksum::queue);
      if (gatheredBytes == 0) {
        // Tables without bytes are only listed in the index.
        gathered.forEach(each -> list(each, Tier.HOST, 0, 0));
      } else if (!toDevice() && !toHost()) {
        toDisk();
      }
      for (MemorySegment each : samples) {
        sizes.add(each.toArray(ValueLayout.JAVA_BYTE));
      }
      if (rowChecksum.isPresent()) {
        rowChecksum.get().fold();
      }
    }
    releaseTables();
    nanos += System.nanoTime() - start;
  }

  /**
   * Queues copies of the first bytes of some tables, for the estimate of sizes, before other work:
   * the wait for the tables' copies serves them too, and without pinned memory each would wait for
   * what was queued before.
   */
  private List<MemorySegment> queueSamples(Arena arena) throws IOException {
    List<MemorySegment> samples = new ArrayList<>();
    if (sampled || gatheredBytes == 0) {
      return samples;
    }
    sampled = true;
    int step = Math.max(1, gathered.size() / SortShuffleSizes.SAMPLES);
    for (int i = 0; i < SortShuffleSizes.SAMPLES && i * step < gathered.size(); i++) {
      DeviceRange data = gathered.get(i * step).table.data();
      long count = Math.min(SortShuffleSizes.SAMPLE_BYTES, data.bytes());
      if (count > 0) {
        samples.add(
            DirectMemory.require(
                "a sample of %d bytes of a table",
                count, () -> arena.allocate(count, TableCopies.ALIGNMENT)));
        copies.toHost(samples.getLast(), data.slice(0, count));
      }
    }
    return samples;
  }

  private boolean toDevice() throws IOException {
    Optional<Slab> slab = output.allocateDevice(gatheredBytes + TableCopies.ALIGNMENT);
    if (slab.isEmpty()) {
      return false;
    }
    DeviceTier tier = device.orElseThrow();
    DeviceRange window = tier.window();
    List<Piece> pieces = new ArrayList<>(gathered.size());
    long[] places = new long[gathered.size()];
    long at = TableCopies.aligned(slab.get().offset());
    for (int i = 0; i < places.length; i++) {
      DeviceRange from = gathered.get(i).table.data();
      places[i] = at;
      if (from.bytes() > 0) {
        pieces.addAll(TableCopies.pieces(from, window.slice(at, from.bytes()), tier.heap().myPe()));
      }
      at += gathered.get(i).padded();
    }
    Supplier<int[]> computed = () -> new int[places.length];
    try {
      copies.copy(pieces, 1);
      if (checksum) {
        // Of the engine's memory, not of the copy, so that a faulty copy is detected.
        computed = copies.checksums(gathered.stream().map(each -> each.table.data()).toList());
      }
    } catch (NativeCallException e) {
      if (e.code() != CudaDriver.OUT_OF_MEMORY) {
        throw e;
      }
      // The lists of pieces are outside of the engine's pool, which may have all memory.
      LOG.debug("No memory to launch the copy of {} tables", gathered.size(), e);
      copies.await();
      output.freeDevice(slab.get());
      return false;
    }
    copies.await();
    int[] checksums = computed.get();
    for (int i = 0; i < places.length; i++) {
      list(gathered.get(i), Tier.DEVICE, places[i], checksums[i]);
    }
    stats.wrote(shuffleId, Tier.DEVICE, gatheredBytes);
    return true;
  }

  private boolean toHost() throws IOException {
    Optional<MemorySegment> slab = output.allocateHost(gatheredBytes);
    if (slab.isEmpty()) {
      return false;
    }
    long at = 0;
    for (Gathered each : gathered) {
      copies.toHost(slab.get().asSlice(at, each.table.data().bytes()), each.table.data());
      at += each.padded();
    }
    copies.await();
    at = 0;
    for (Gathered each : gathered) {
      int crc = checksum ? Crc32c.of(slab.get(), at, each.table.data().bytes()) : 0;
      list(each, Tier.HOST, output.hostOffset(slab.get()) + at, crc);
      at += each.padded();
    }
    stats.wrote(shuffleId, Tier.HOST, gatheredBytes);
    return true;
  }

  private void toDisk() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment step =
          DirectMemory.require(
              "a buffer of %d bytes to write tables to disk",
              DISK_STEP, () -> arena.allocate(DISK_STEP, TableCopies.ALIGNMENT));
      for (Gathered each : gathered) {
        DeviceRange data = each.table.data();
        CRC32C crc = new CRC32C();
        long place = -1;
        for (long done = 0; done < data.bytes(); done += DISK_STEP) {
          long length = Math.min(DISK_STEP, data.bytes() - done);
          MemorySegment part = step.asSlice(0, length);
          copies.toHost(part, data.slice(done, length));
          copies.await();
          if (checksum) {
            crc.update(part.asByteBuffer());
          }
          long position = output.appendToFile(part.asByteBuffer());
          place = place < 0 ? position : place;
        }
        list(each, Tier.DISK, Math.max(place, 0), (int) crc.getValue());
        stats.wrote(shuffleId, Tier.DISK, data.bytes());
      }
    }
  }

  private void list(Gathered each, Tier tier, long place, int crc) {
    PackedTable table = each.table;
    long bytes = table.data().bytes();
    output.add(
        new TableEntry(
            each.partition,
            bytes == 0 ? Tier.HOST : tier,
            bytes == 0 ? 0 : place,
            bytes,
            table.rows(),
            table.metadata(),
            crc));
    dataBytes += bytes;
    // Never 0: the tracker omits empty partitions.
    partitionBytes[each.partition] += Math.max(bytes, Long.BYTES);
  }

  /** Releases the engine's memory; see {@link TableCopies} for copies that timed out. */
  private void releaseTables() {
    gathered.forEach(each -> each.table.close());
    gathered.clear();
    gatheredBytes = 0;
  }
}
