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
 * Writes one map output of tables: stores the tables of each input batch in the DEVICE tier with
 * one kernel, or in the HOST tier if the device heap or the GPU is full, or else in the DISK tier.
 *
 * <p>Life cycle: {@code add}..., then {@link #commit} or {@link #abort}. Used by one task thread.
 */
final class TableWriter implements TaskOutput {
  /** Bytes that go to one tier together: what is left of a nearly full tier is used, too. */
  private static final long MAX_GROUP_BYTES = 256L << 20;

  private static final int DISK_STEP = 8 << 20;
  private static final Logger LOG = LoggerFactory.getLogger(TableWriter.class);

  private final TableOutputBuilder output;
  private final TableCopies copies;
  private final Optional<DeviceTier> device;
  private final boolean checksum;
  private final ShuffleStats stats;
  private final int shuffleId;
  private final SortShuffleSizes sizes;
  private final long[] partitionBytes;

  /** The batch that is being stored, or null. */
  private SplitBatch open;

  private boolean sampled;
  private long rowChecksum;
  private long dataBytes;
  private long nanos;

  /**
   * Tables of one batch whose bytes are adjacent.
   *
   * @param data all their bytes
   */
  private record Group(SplitBatch batch, List<SplitBatch.Table> tables, DeviceRange data) {
    static Group of(SplitBatch batch, List<SplitBatch.Table> tables) {
      long start = tables.getFirst().offset();
      long end = tables.getLast().offset() + tables.getLast().bytes();
      return new Group(batch, tables, batch.data().slice(start, end - start));
    }

    /** Where a table starts in the bytes of all. */
    long offset(SplitBatch.Table table) {
      return table.offset() - tables.getFirst().offset();
    }
  }

  TableWriter(
      TableOutputBuilder output,
      TableCopies copies,
      Optional<DeviceTier> device,
      int partitions,
      boolean checksum,
      SortShuffleSizes sizes,
      ShuffleStats stats) {
    this.sizes = sizes;
    this.output = output;
    this.copies = copies;
    this.device = device;
    this.checksum = checksum;
    this.stats = stats;
    this.shuffleId = output.id().shuffleId();
    this.partitionBytes = new long[partitions];
  }

  SortShuffleSizes sizes() {
    return sizes;
  }

  /**
   * Stores the tables of a batch, and closes it.
   *
   * @throws IOException if all tiers are full, or a GPU failed
   */
  void add(SplitBatch batch) throws IOException {
    long start = System.nanoTime();
    open = batch;
    rowChecksum += batch.rowHash();
    try (Arena arena = Arena.ofConfined()) {
      List<MemorySegment> samples = queueSamples(batch, arena);
      for (List<SplitBatch.Table> tables : groups(batch)) {
        place(batch, tables);
      }
      for (MemorySegment each : samples) {
        sizes.add(each.toArray(ValueLayout.JAVA_BYTE));
      }
    }
    releaseBatch();
    nanos += System.nanoTime() - start;
  }

  /** Divides the tables of a batch, in their order. */
  private static List<List<SplitBatch.Table>> groups(SplitBatch batch) {
    List<List<SplitBatch.Table>> groups = new ArrayList<>();
    long bytes = 0;
    for (SplitBatch.Table table : batch.tables()) {
      if (groups.isEmpty() || bytes + table.bytes() > MAX_GROUP_BYTES) {
        groups.add(new ArrayList<>());
        bytes = 0;
      }
      groups.getLast().add(table);
      bytes += table.bytes();
    }
    return groups;
  }

  private void place(SplitBatch batch, List<SplitBatch.Table> tables) throws IOException {
    Group group = Group.of(batch, tables);
    if (group.data().bytes() == 0) {
      // Tables without columns are only listed in the index.
      tables.forEach(each -> list(each, Tier.HOST, 0, 0));
    } else if (!toDevice(group) && !toHost(group)) {
      toDisk(group);
    }
  }

  /**
   * Publishes the map output.
   *
   * @throws IOException if all tiers are full
   */
  @Override
  public void commit() throws IOException {
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
    releaseBatch();
    output.abort();
    copies.close();
  }

  /** Bytes of each partition: long[partitions], complete after commit. */
  @Override
  public long[] partitionBytes() {
    return partitionBytes;
  }

  /** The sum of the hashes of all rows, see {@link SplitBatch#rowHash}, complete after commit. */
  long rowChecksum() {
    return rowChecksum;
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

  /**
   * Queues copies of the first bytes of some tables, for the estimate of sizes, before other work:
   * the wait for the tables' copies serves them too, and without pinned memory each would wait for
   * what was queued before.
   */
  private List<MemorySegment> queueSamples(SplitBatch batch, Arena arena) throws IOException {
    List<MemorySegment> samples = new ArrayList<>();
    if (sampled || batch.data().bytes() == 0) {
      return samples;
    }
    sampled = true;
    List<SplitBatch.Table> tables = batch.tables();
    int step = Math.max(1, tables.size() / SortShuffleSizes.SAMPLES);
    for (int i = 0; i < SortShuffleSizes.SAMPLES && i * step < tables.size(); i++) {
      DeviceRange data = batch.data(tables.get(i * step));
      long count = Math.min(SortShuffleSizes.SAMPLE_BYTES, data.bytes());
      samples.add(
          DirectMemory.require(
              "a sample of %d bytes of a table",
              count, () -> arena.allocate(count, TableCopies.ALIGNMENT)));
      copies.toHost(samples.getLast(), data.slice(0, count));
    }
    return samples;
  }

  private boolean toDevice(Group group) throws IOException {
    // Aligned each, since GPUs of other executors read and pack them one by one.
    long bytes = group.tables().stream().mapToLong(each -> TableCopies.aligned(each.bytes())).sum();
    Optional<Slab> slab = output.allocateDevice(bytes + TableCopies.ALIGNMENT);
    if (slab.isEmpty()) {
      return false;
    }
    DeviceTier tier = device.orElseThrow();
    DeviceRange window = tier.window();
    List<DeviceRange> sources = new ArrayList<>(group.tables().size());
    List<Piece> pieces = new ArrayList<>(group.tables().size());
    long start = TableCopies.aligned(slab.get().offset());
    long at = start;
    for (SplitBatch.Table each : group.tables()) {
      DeviceRange from = group.batch().data(each);
      sources.add(from);
      pieces.addAll(TableCopies.pieces(from, window.slice(at, from.bytes()), tier.heap().myPe()));
      at += TableCopies.aligned(from.bytes());
    }
    Supplier<int[]> computed = () -> new int[sources.size()];
    try {
      copies.copy(pieces, 1);
      if (checksum) {
        // Of the engine's memory, not of the copy, so that a faulty copy is detected.
        computed = copies.checksums(sources);
      }
    } catch (NativeCallException e) {
      if (e.code() != CudaDriver.OUT_OF_MEMORY) {
        throw e;
      }
      // The lists of pieces are outside of the engine's pool, which may have all memory.
      LOG.debug("No memory to launch the copy of {} tables", sources.size(), e);
      copies.await();
      output.freeDevice(slab.get());
      return false;
    }
    copies.await();
    int[] checksums = computed.get();
    at = start;
    for (int i = 0; i < checksums.length; i++) {
      list(group.tables().get(i), Tier.DEVICE, at, checksums[i]);
      at += TableCopies.aligned(sources.get(i).bytes());
    }
    stats.wrote(shuffleId, Tier.DEVICE, group.data().bytes());
    return true;
  }

  private boolean toHost(Group group) throws IOException {
    Optional<MemorySegment> slab = output.allocateHost(group.data().bytes());
    if (slab.isEmpty()) {
      return false;
    }
    MemorySegment to = slab.get().asSlice(0, group.data().bytes());
    copies.toHost(to, group.data());
    copies.await();
    for (SplitBatch.Table each : group.tables()) {
      int crc = checksum ? Crc32c.of(to, group.offset(each), each.bytes()) : 0;
      list(each, Tier.HOST, output.hostOffset(to) + group.offset(each), crc);
    }
    stats.wrote(shuffleId, Tier.HOST, group.data().bytes());
    return true;
  }

  /** Appends the bytes of all tables, and computes their checksums on the way. */
  private void toDisk(Group group) throws IOException {
    int[] checksums = new int[group.tables().size()];
    long place = -1;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment step =
          DirectMemory.require(
              "a buffer of %d bytes to write tables to disk",
              DISK_STEP, () -> arena.allocate(DISK_STEP, TableCopies.ALIGNMENT));
      CRC32C crc = new CRC32C();
      int table = 0;
      long left = group.tables().getFirst().bytes();
      for (long done = 0; done < group.data().bytes(); done += DISK_STEP) {
        MemorySegment part = step.asSlice(0, Math.min(DISK_STEP, group.data().bytes() - done));
        copies.toHost(part, group.data().slice(done, part.byteSize()));
        copies.await();
        for (long at = 0; checksum && at < part.byteSize(); ) {
          long count = Math.min(left, part.byteSize() - at);
          crc.update(part.asSlice(at, count).asByteBuffer());
          at += count;
          left -= count;
          if (left == 0) {
            checksums[table++] = (int) crc.getValue();
            crc.reset();
            left = table < checksums.length ? group.tables().get(table).bytes() : -1;
          }
        }
        long position = output.appendToFile(part.asByteBuffer());
        place = place < 0 ? position : place;
      }
    }
    for (int i = 0; i < checksums.length; i++) {
      SplitBatch.Table each = group.tables().get(i);
      list(each, Tier.DISK, place + group.offset(each), checksums[i]);
    }
    stats.wrote(shuffleId, Tier.DISK, group.data().bytes());
  }

  private void list(SplitBatch.Table table, Tier tier, long place, int crc) {
    output.add(new TableEntry(table.partition(), tier, place, table.bytes(), table.rows(), crc));
    dataBytes += table.bytes();
    // Never 0: the tracker omits empty partitions.
    partitionBytes[table.partition()] += Math.max(table.bytes(), Long.BYTES);
  }

  /** Releases the engine's memory; see {@link TableCopies} for copies that timed out. */
  private void releaseBatch() {
    if (open != null) {
      open.close();
      open = null;
    }
  }
}
