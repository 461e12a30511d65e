// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.HeapException;
import io.symshuffle.kernel.Piece;
import io.symshuffle.kernel.SerializedTable;
import io.symshuffle.kernel.TableSchema;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.Pages;
import io.symshuffle.shuffle.output.RunReader;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.read.ReadTask;
import io.symshuffle.shuffle.runtime.FetchFailureKind;
import io.symshuffle.shuffle.runtime.PeerPages;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.ShuffleUsage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the tables of a batch into one buffer on this GPU, checks them, and has the engine
 * assemble them: one kernel reads those in device heaps, this PE's own too, and those of the HOST
 * and DISK tiers are copied from host memory.
 *
 * <p>Used by one task thread, which holds a lease on the shuffle.
 */
final class BatchAssembler implements AutoCloseable {
  private static final int DISK_STEP = 8 << 20;
  private static final Logger LOG = LoggerFactory.getLogger(BatchAssembler.class);

  private final TableEngine engine;
  private final TableCopies copies;
  private final Optional<DeviceTier> device;
  private final DataType[] types;
  private final ReadTask task;

  BatchAssembler(
      TableEngine engine,
      TableCopies copies,
      Optional<DeviceTier> device,
      DataType[] types,
      ReadTask task) {
    this.engine = engine;
    this.copies = copies;
    this.device = device;
    this.types = types.clone();
    this.task = task;
  }

  /** Assembles a batch; may be called again for the same batch after it threw an exception. */
  ColumnarBatch assemble(TableBatch batch) {
    if (types.length == 0) {
      return new ColumnarBatch(new ColumnVector[0], Math.toIntExact(batch.rows()));
    }
    List<TableRef> sources = batch.sources();
    long dataBytes =
        sources.stream().mapToLong(each -> TableCopies.aligned(each.table().bytes())).sum();
    long offsetsBytes = (sources.size() + 1L) * Long.BYTES;
    // Freed in the order of the engine's stream, even if a copy into it has timed out.
    try (EngineBuffer buffer = engine.allocate(dataBytes + offsetsBytes)) {
      long start = System.nanoTime();
      collect(batch, buffer.range(), dataBytes);
      if (sources.stream().anyMatch(source -> source.fetched().isPresent())) {
        task.stats().addSince(ShuffleCounter.RECEIVE_UNPACK_NANOS, start);
      }
      return engine.assemble(buffer, dataBytes, sources.size(), types);
    }
  }

  private void collect(TableBatch batch, DeviceRange to, long dataBytes) {
    long packedBytes =
        batch.sources().stream()
            .mapToLong(source -> TableCopies.aligned(source.packedBytes()))
            .sum();
    if (packedBytes == 0) {
      collect(batch, to, dataBytes, Optional.empty());
      return;
    }
    // Freed in the order of the engine's stream, too.
    try (EngineBuffer packed = engine.allocate(packedBytes)) {
      collect(batch, to, dataBytes, Optional.of(packed));
    }
  }

  /**
   * Waits until no table in the device heap is read anymore; called when the task ends.
   *
   * @return false if the GPU may still read them
   */
  boolean settle() {
    return copies.settle();
  }

  /** Counts the data of an assembled batch. */
  void count(TableBatch batch) {
    ShuffleStats stats = task.stats();
    ShuffleUsage.OfShuffle usage = task.usage();
    for (TableRef source : batch.sources()) {
      TableEntry table = source.table();
      if (source.output().isEmpty()) {
        stats.readTransfer(1, table.bytes());
        usage.readTransfer(table.bytes());
        continue;
      }
      usage.readInPlace(table.bytes());
      switch (table.tier()) {
        case HOST -> {
          stats.read(Tier.HOST, 1, table.bytes());
          task.peerPages().read(PeerPages.mappedBytes(table.storedBytes()));
        }
        case DISK -> stats.read(Tier.DISK, 1, table.bytes());
        case DEVICE -> {
          int pe = source.output().get().pe();
          if (isMine(pe)) {
            stats.read(Tier.DEVICE, 1, table.bytes());
          } else {
            stats.pulled(1, table.bytes());
          }
        }
      }
    }
  }

  @Override
  public void close() {
    copies.close();
  }

  private boolean isMine(int pe) {
    return device.isPresent() && device.get().heap().myPe() == pe;
  }

  /** Copies the tables and their offsets, waits, and checks what has arrived. */
  private void collect(
      TableBatch batch, DeviceRange to, long dataBytes, Optional<EngineBuffer> packed) {
    long[] offsets = new long[batch.sources().size() + 1];
    List<Piece> pulls = new ArrayList<>();
    Set<Integer> owners = new HashSet<>();
    Arrived arrived = new Arrived(batch.sources());
    Unpacked unpacked = new Unpacked(packed);
    int number = 0;
    try (Arena arena = Arena.ofConfined()) {
      for (TableRef source : batch.sources()) {
        TableEntry table = source.table();
        DeviceRange place = to.slice(offsets[number], table.bytes());
        DeviceRange target = source.packedBytes() > 0 ? unpacked.add(source, place) : place;
        if (table.tier() == Tier.DEVICE && source.output().isPresent()) {
          int pe = source.output().get().pe();
          owners.add(pe);
          pulls.addAll(TableCopies.pieces(deviceData(source), target, pe));
        } else if (source.fetched().isEmpty()) {
          copyIn(source, target);
        } else {
          copyIn(source.fetched().get().data(), target);
        }
        arrived.add(source, place);
        offsets[number + 1] = offsets[number] + TableCopies.aligned(table.bytes());
        number++;
      }
      number = 0;
      copyOffsets(arena, offsets, to.slice(dataBytes, (long) offsets.length * Long.BYTES));
      pull(pulls, owners.size());
      unpacked.queue();
      arrived.queue();
      copies.await();
      unpacked.check();
      arrived.check();
    } catch (CorruptIndexException | HeapException | IOException e) {
      throw task.failures().raise(batch.sources().get(number).map(), e);
    } catch (InternalError e) {
      throw task.failures().truncated(batch.sources().get(number).map(), e);
    }
  }

  private void copyOffsets(Arena arena, long[] offsets, DeviceRange to) throws IOException {
    MemorySegment copy =
        DirectMemory.require(
            "%d bytes for the offsets of tables",
            to.bytes(), () -> arena.allocate(to.bytes(), Long.BYTES));
    copy.copyFrom(MemorySegment.ofArray(offsets));
    copies.toDevice(to, copy);
  }

  private void pull(List<Piece> pulls, int owners) {
    try {
      copies.copy(pulls, owners);
    } catch (NativeCallException e) {
      requireOutOfMemory(e);
      copies.copyWithoutKernel(pulls);
    }
  }

  /** A kernel's lists are outside of the engine's pool, which may have all memory. */
  private static void requireOutOfMemory(NativeCallException e) {
    if (e.code() != CudaDriver.OUT_OF_MEMORY) {
      throw e;
    }
    LOG.debug("No memory to launch a kernel", e);
  }

  /** Tables in the buffer, which are verified together when they are all there. */
  private final class Arrived {
    private final List<TableRef> sources;
    private final List<SerializedTable> tables = new ArrayList<>();

    /** Those whose checksums nobody has verified on the way. */
    private final List<TableRef> unverified = new ArrayList<>();

    private final List<DeviceRange> unverifiedData = new ArrayList<>();
    private Supplier<int[]> checksums = () -> new int[0];
    private IntFunction<Optional<String>> problems = table -> Optional.empty();

    Arrived(List<TableRef> sources) {
      this.sources = sources;
    }

    void add(TableRef source, DeviceRange data) {
      tables.add(new SerializedTable(data, source.table().rows()));
      boolean verified =
          source
              .fetched()
              .map(FetchedTable::isChecked)
              .orElse(source.table().tier() != Tier.DEVICE && !source.table().isPacked());
      if (task.verify() && !verified) {
        unverified.add(source);
        unverifiedData.add(data);
      }
    }

    /** Queues the checks, or makes them on the host if there is no memory for a launch. */
    void queue() throws IOException {
      try {
        checksums = copies.checksums(unverifiedData);
      } catch (NativeCallException e) {
        requireOutOfMemory(e);
        int[] found = copies.checksumsOnHost(unverifiedData);
        checksums = () -> found;
      }
      TableSchema schema = engine.schema(types);
      try {
        problems = copies.problems(tables, schema);
      } catch (NativeCallException e) {
        requireOutOfMemory(e);
        problems = copies.problemsOnHost(tables, schema);
      }
    }

    /** Checksums first: they tell damage from a table that was never right. */
    void check() {
      int[] found = checksums.get();
      for (int i = 0; i < found.length; i++) {
        TableRef source = unverified.get(i);
        BatchAssembler.this.check(source, found[i], source.table().checksum());
      }
      for (int i = 0; i < sources.size(); i++) {
        Optional<String> problem = problems.apply(i);
        if (problem.isPresent()) {
          throw task.failures()
              .raise(
                  FetchFailureKind.DAMAGED,
                  sources.get(i).map(),
                  "a table of partition %d %s"
                      .formatted(sources.get(i).table().partition(), problem.get()),
                  null);
        }
      }
    }
  }

  /** Tables that a GPU has packed, which are unpacked together. */
  private final class Unpacked {
    private final Optional<EngineBuffer> buffer;
    private final List<TableRef> sources = new ArrayList<>();
    private final List<DeviceRange> packed = new ArrayList<>();
    private final List<DeviceRange> plain = new ArrayList<>();
    private Supplier<BitSet> damaged = BitSet::new;
    private long used;

    Unpacked(Optional<EngineBuffer> buffer) {
      this.buffer = buffer;
    }

    /** Returns where the packed table is to be. */
    DeviceRange add(TableRef source, DeviceRange to) {
      DeviceRange from = buffer.orElseThrow().range().slice(used, source.packedBytes());
      used += TableCopies.aligned(source.packedBytes());
      sources.add(source);
      packed.add(from);
      plain.add(to);
      return from;
    }

    void queue() throws IOException {
      try {
        damaged = copies.unpack(packed, plain);
      } catch (NativeCallException e) {
        requireOutOfMemory(e);
        BitSet found = copies.unpackOnHost(packed, plain);
        damaged = () -> found;
      }
    }

    void check() {
      int first = damaged.get().nextSetBit(0);
      if (first >= 0) {
        throw task.failures()
            .raise(
                FetchFailureKind.DAMAGED,
                sources.get(first).map(),
                "the packed table of partition %d cannot be unpacked"
                    .formatted(sources.get(first).table().partition()),
                null);
      }
    }
  }

  private DeviceRange deviceData(TableRef source) {
    TableOutput output = source.output().orElseThrow();
    TableEntry table = source.table();
    return device
        .flatMap(tier -> tier.heap().range(output.pe(), table.place(), table.storedBytes()))
        .orElseThrow(
            () ->
                new CorruptIndexException(
                    output.id(),
                    "table of %d bytes at %d in the device heap of PE %d, which this GPU cannot access"
                        .formatted(table.storedBytes(), table.place(), output.pe())));
  }

  private void copyIn(TableRef source, DeviceRange to) throws IOException {
    TableEntry table = source.table();
    if (table.tier() == Tier.HOST) {
      MemorySegment data = source.output().get().hostMemory(table.place(), table.storedBytes());
      Pages.touch(data);
      checkStored(source, Crc32c.of(data, 0, data.byteSize()));
      copies.toDevice(to, data);
    } else {
      copyFromDisk(source, to);
    }
  }

  private void copyIn(ArrivalMemory.Part from, DeviceRange to) throws IOException {
    if (from.isPinned()) {
      copies.toDevice(to, from.pieces());
    } else {
      copies.toDevice(to, from.pieces().getFirst());
    }
  }

  private void copyFromDisk(TableRef source, DeviceRange to) throws IOException {
    TableEntry table = source.table();
    try (RunReader file = RunReader.open(source.output().orElseThrow());
        Arena arena = Arena.ofConfined()) {
      long bytes = table.storedBytes();
      long stepBytes = Math.min(DISK_STEP, bytes);
      MemorySegment step =
          DirectMemory.require(
              "a buffer of %d bytes to read a table from disk",
              stepBytes, () -> arena.allocate(stepBytes, TableCopies.ALIGNMENT));
      CRC32C crc = new CRC32C();
      for (long done = 0; done < bytes; done += DISK_STEP) {
        MemorySegment part = step.asSlice(0, Math.min(DISK_STEP, bytes - done));
        file.read(table.place() + done, part.asByteBuffer());
        crc.update(part.asByteBuffer());
        copies.toDevice(to.slice(done, part.byteSize()), part);
      }
      checkStored(source, (int) crc.getValue());
    }
  }

  private void checkStored(TableRef source, int actual) {
    check(source, actual, source.table().storedChecksum());
  }

  private void check(TableRef source, int actual, int expected) {
    if (task.verify() && actual != expected) {
      throw task.failures()
          .raise(
              FetchFailureKind.DAMAGED,
              source.map(),
              "table of partition %d has checksum %08x instead of %08x"
                  .formatted(source.table().partition(), actual, expected),
              null);
    }
  }
}
