// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.Slab;
import io.symshuffle.kernel.KernelException;
import io.symshuffle.kernel.PackedTables;
import io.symshuffle.kernel.Piece;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
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
 * When half of the device heap is used, the GPU packs them first, whichever tier they go to.
 *
 * <p>Life cycle: {@code add}..., then {@link #commit} or {@link #abort}. Used by one task thread.
 */
final class TableWriter implements TaskOutput {
  /** Bytes that go to one tier together: what is left of a nearly full tier is used, too. */
  private static final long MAX_GROUP_BYTES = 256L << 20;

  /** The same for tables that are packed, since each task takes as much of the engine's memory. */
  private static final long MAX_PACKED_GROUP_BYTES = 64L << 20;

  private static final int DISK_STEP = 8 << 20;
  private static final Logger LOG = LoggerFactory.getLogger(TableWriter.class);

  private final TableOutputBuilder output;
  private final TableCopies copies;
  private final Optional<DeviceTier> device;
  private final boolean packs;
  private final boolean checksum;
  private final ShuffleStats stats;
  private final int shuffleId;
  private final SortShuffleSizes sizes;
  private final long[] partitionBytes;

  /** The batch that is being stored, or null. */
  private SplitBatch open;

  private boolean sampled;

  /** Whether packing has made the tables smaller, as far as it was tried. */
  private boolean shrink = true;

  private long rowChecksum;
  private long dataBytes;
  private long nanos;

  /**
   * @param packs whether to pack tables when the device heap fills up
   */
  TableWriter(
      TableOutputBuilder output,
      TableCopies copies,
      Optional<DeviceTier> device,
      int partitions,
      boolean packs,
      boolean checksum,
      SortShuffleSizes sizes,
      ShuffleStats stats) {
    this.sizes = sizes;
    this.output = output;
    this.copies = copies;
    this.device = device;
    this.packs = packs;
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
      boolean pack = packs && shrink && device.isPresent() && device.get().isFilling();
      for (List<SplitBatch.Table> tables :
          groups(batch, pack ? MAX_PACKED_GROUP_BYTES : MAX_GROUP_BYTES)) {
        place(TableGroup.of(batch, tables), pack);
      }
      for (MemorySegment each : samples) {
        sizes.add(each.toArray(ValueLayout.JAVA_BYTE));
      }
    }
    releaseBatch();
    nanos += System.nanoTime() - start;
  }

  /** Divides the tables of a batch, in their order. */
  private static List<List<SplitBatch.Table>> groups(SplitBatch batch, long maxBytes) {
    List<List<SplitBatch.Table>> groups = new ArrayList<>();
    long bytes = 0;
    for (SplitBatch.Table table : batch.tables()) {
      if (groups.isEmpty() || bytes + table.bytes() > maxBytes) {
        groups.add(new ArrayList<>());
        bytes = 0;
      }
      groups.getLast().add(table);
      bytes += table.bytes();
    }
    return groups;
  }

  private void place(TableGroup group, boolean pack) throws IOException {
    if (group.data().bytes() == 0) {
      // Tables without columns are only listed in the index.
      for (int i = 0; i < group.tables().size(); i++) {
        list(group, i, Tier.HOST, 0, 0);
      }
    } else if (!pack || !shrink || !placePacked(group)) {
      store(group);
    }
  }

  private void store(TableGroup group) throws IOException {
    if (!toDevice(group) && !toHost(group)) {
      toDisk(group);
    }
  }

  /**
   * Packs tables in memory of the engine, and stores them.
   *
   * @return false, without storing them, if the engine has no memory for it, or they do not shrink
   */
  private boolean placePacked(TableGroup group) throws IOException {
    if (group.plainBytes() > MAX_PACKED_GROUP_BYTES) {
      return false; // one table
    }
    Optional<EngineBuffer> memory = copies.tryAllocate(PackedTables.roomFor(group.stored()));
    if (memory.isEmpty()) {
      return false;
    }
    // Freed in the order of the engine's stream.
    try (EngineBuffer buffer = memory.get()) {
      Optional<TableGroup> packed = pack(group, buffer.range());
      if (packed.isEmpty()) {
        return false;
      }
      store(packed.get());
      stats.add(ShuffleCounter.PACKED_BYTES, group.data().bytes());
      stats.add(ShuffleCounter.PACKED_BYTES_STORED, packed.get().data().bytes());
      return true;
    }
  }

  private Optional<TableGroup> pack(TableGroup group, DeviceRange to) throws IOException {
    Supplier<List<DeviceRange>> packed;
    Supplier<int[]> computed = () -> new int[group.tables().size()];
    try {
      packed = copies.pack(group.stored(), to);
      if (checksum) {
        computed = copies.checksums(group.stored());
      }
      copies.await();
    } catch (NativeCallException | KernelException e) {
      if (e instanceof NativeCallException failed && failed.code() != CudaDriver.OUT_OF_MEMORY) {
        throw e;
      }
      LOG.debug("{} tables are stored without packing", group.tables().size(), e);
      copies.await();
      return Optional.empty();
    }
    long bytes = packed.get().stream().mapToLong(DeviceRange::bytes).sum();
    if (bytes > group.data().bytes() / 8 * 7) {
      shrink = false;
      return Optional.empty();
    }
    return Optional.of(group.packed(packed.get(), to.slice(0, bytes), computed.get()));
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

  private boolean toDevice(TableGroup group) throws IOException {
    // Aligned each, since GPUs of other executors read and pack them one by one.
    long bytes = group.stored().stream().mapToLong(each -> TableCopies.aligned(each.bytes())).sum();
    Optional<Slab> slab = output.allocateDevice(bytes + TableCopies.ALIGNMENT);
    if (slab.isEmpty()) {
      return false;
    }
    DeviceTier tier = device.orElseThrow();
    DeviceRange window = tier.window();
    List<DeviceRange> sources = group.stored();
    List<Piece> pieces = new ArrayList<>(sources.size());
    long start = TableCopies.aligned(slab.get().offset());
    long at = start;
    for (DeviceRange from : sources) {
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
      list(group, i, Tier.DEVICE, at, checksums[i]);
      at += TableCopies.aligned(sources.get(i).bytes());
    }
    stats.wrote(shuffleId, Tier.DEVICE, group.plainBytes());
    return true;
  }

  private boolean toHost(TableGroup group) throws IOException {
    Optional<MemorySegment> slab = output.allocateHost(group.data().bytes());
    if (slab.isEmpty()) {
      return false;
    }
    MemorySegment to = slab.get().asSlice(0, group.data().bytes());
    copies.toHost(to, group.data());
    copies.await();
    for (int i = 0; i < group.tables().size(); i++) {
      int crc = checksum ? Crc32c.of(to, group.offset(i), group.stored().get(i).bytes()) : 0;
      list(group, i, Tier.HOST, output.hostOffset(to) + group.offset(i), crc);
    }
    stats.wrote(shuffleId, Tier.HOST, group.plainBytes());
    return true;
  }

  /** Appends the bytes of all tables, and computes their checksums on the way. */
  private void toDisk(TableGroup group) throws IOException {
    int[] checksums = new int[group.tables().size()];
    long place = -1;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment step =
          DirectMemory.require(
              "a buffer of %d bytes to write tables to disk",
              DISK_STEP, () -> arena.allocate(DISK_STEP, TableCopies.ALIGNMENT));
      CRC32C crc = new CRC32C();
      int table = 0;
      for (long done = 0; done < group.data().bytes(); done += DISK_STEP) {
        MemorySegment part = step.asSlice(0, Math.min(DISK_STEP, group.data().bytes() - done));
        copies.toHost(part, group.data().slice(done, part.byteSize()));
        copies.await();
        while (checksum && table < checksums.length) {
          long start = group.offset(table);
          long end = start + group.stored().get(table).bytes();
          long from = Math.max(start, done);
          long to = Math.min(end, done + part.byteSize());
          if (from < to) {
            crc.update(part.asSlice(from - done, to - from).asByteBuffer());
          }
          if (end > done + part.byteSize()) {
            break;
          }
          checksums[table++] = (int) crc.getValue();
          crc.reset();
        }
        long position = output.appendToFile(part.asByteBuffer());
        place = place < 0 ? position : place;
      }
    }
    for (int i = 0; i < checksums.length; i++) {
      list(group, i, Tier.DISK, place + group.offset(i), checksums[i]);
    }
    stats.wrote(shuffleId, Tier.DISK, group.plainBytes());
  }

  /**
   * Lists a table in the index.
   *
   * @param crc the checksum of what is stored
   */
  private void list(TableGroup group, int number, Tier tier, long place, int crc) {
    SplitBatch.Table table = group.tables().get(number);
    output.add(
        group.isPacked()
            ? new TableEntry(
                table.partition(),
                tier,
                place,
                table.bytes(),
                group.stored().get(number).bytes(),
                table.rows(),
                group.plainChecksums()[number],
                crc)
            : new TableEntry(table.partition(), tier, place, table.bytes(), table.rows(), crc));
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
