// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.HeapException;
import io.symshuffle.kernel.Piece;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.Pages;
import io.symshuffle.shuffle.output.RunReader;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.read.ReadTask;
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
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the tables of a batch to this GPU and combines them into one batch: one kernel pulls those
 * in other PEs' device heaps, and those of the HOST and DISK tiers are copied from host memory.
 * Tables in this PE's window of the device heap are read in place.
 *
 * <p>Used by one task thread, which holds a lease on the shuffle.
 */
final class TableAssembler implements AutoCloseable {
  private static final int DISK_STEP = 8 << 20;
  private static final Logger LOG = LoggerFactory.getLogger(TableAssembler.class);

  private final TableEngine engine;
  private final TableCopies copies;
  private final Optional<DeviceTier> device;
  private final DataType[] types;
  private final ReadTask task;

  TableAssembler(
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
    long bytes = 0;
    for (PackedTableRef source : batch.sources()) {
      bytes += inPlace(batch, source) ? 0 : TableCopies.aligned(source.table().bytes());
    }
    if (bytes == 0) {
      return unpack(batch, Optional.empty());
    }
    // Freed in the order of the engine's stream, even if a copy into it has timed out.
    try (EngineBuffer buffer = engine.allocate(bytes)) {
      return unpack(batch, Optional.of(buffer));
    }
  }

  private List<TablePart> partsOnGpu(TableBatch batch, Optional<EngineBuffer> buffer) {
    long packedBytes =
        batch.sources().stream()
            .flatMap(source -> source.fetched().stream())
            .mapToLong(fetched -> TableCopies.aligned(fetched.packedBytes()))
            .sum();
    if (packedBytes == 0) {
      return parts(batch, buffer, Optional.empty());
    }
    // Freed in the order of the engine's stream, too.
    try (EngineBuffer packed = engine.allocate(packedBytes)) {
      return parts(batch, buffer, Optional.of(packed));
    }
  }

  private ColumnarBatch unpack(TableBatch batch, Optional<EngineBuffer> buffer) {
    long start = System.nanoTime();
    List<TablePart> parts = partsOnGpu(batch, buffer);
    if (batch.sources().stream().anyMatch(source -> source.fetched().isPresent())) {
      task.stats().addSince(ShuffleCounter.RECEIVE_UNPACK_NANOS, start);
    }
    try {
      return concatenated(batch, parts).orElseGet(() -> engine.unpack(parts, buffer, types));
    } finally {
      // The engine only queues the concatenation.
      if (batch.sources().stream().anyMatch(source -> inPlace(batch, source))) {
        copies.engineReadsHeap();
      }
    }
  }

  /** Concatenates tables with a kernel; empty if the engine has to do it. */
  private Optional<ColumnarBatch> concatenated(TableBatch batch, List<TablePart> parts) {
    if (parts.size() == 1 || device.isEmpty()) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      Optional<TableConcat> tables = engine.concatenation(parts, arena);
      return tables.isEmpty() ? Optional.empty() : Optional.of(concatenated(tables.get()));
    } catch (NativeCallException e) {
      requireOutOfMemory(e);
      return Optional.empty();
    } catch (IOException e) {
      throw task.failures().raise(batch.sources().getFirst().map(), e.getMessage(), e);
    }
  }

  private ColumnarBatch concatenated(TableConcat tables) throws IOException {
    try (EngineBuffer buffer = engine.allocate(tables.bytes())) {
      copies.concat(tables, buffer.range());
      copies.await();
      TablePart whole = new TablePart(tables.metadata(), buffer.range());
      return engine.unpack(List.of(whole), Optional.of(buffer), types);
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
    for (PackedTableRef source : batch.sources()) {
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
          task.peerPages().read(PeerPages.mappedBytes(table.bytes()));
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

  /**
   * Whether a table needs no copy. Concatenation copies tables; a batch of a single table is not
   * concatenated, so it must be copied here: its memory in the heap is only valid until the task
   * ends.
   */
  private boolean inPlace(TableBatch batch, PackedTableRef source) {
    return batch.sources().size() > 1
        && source.table().tier() == Tier.DEVICE
        && source.output().isPresent()
        && isMine(source.output().get().pe());
  }

  private boolean isMine(int pe) {
    return device.isPresent() && device.get().heap().myPe() == pe;
  }

  private List<TablePart> parts(
      TableBatch batch, Optional<EngineBuffer> buffer, Optional<EngineBuffer> packed) {
    List<TablePart> parts = new ArrayList<>(batch.sources().size());
    List<Piece> pulls = new ArrayList<>();
    Set<Integer> owners = new HashSet<>();
    Arrived arrived = new Arrived();
    Unpacked unpacked = new Unpacked(packed);
    long at = 0;
    PackedTableRef current = null;
    try {
      for (PackedTableRef source : batch.sources()) {
        current = source;
        TableEntry table = source.table();
        if (inPlace(batch, source)) {
          DeviceRange data = deviceData(source);
          parts.add(checked(source, data));
          arrived.add(source, data);
          continue;
        }
        // A table without bytes takes no space in the buffer.
        DeviceRange to =
            table.bytes() == 0
                ? new DeviceRange(0, 0)
                : buffer.orElseThrow().range().slice(at, table.bytes());
        at += TableCopies.aligned(table.bytes());
        parts.add(checked(source, to));
        if (table.bytes() == 0) {
          continue;
        }
        if (table.tier() == Tier.DEVICE && source.output().isPresent()) {
          int pe = source.output().get().pe();
          owners.add(pe);
          pulls.addAll(TableCopies.pieces(deviceData(source), to, pe));
          arrived.add(source, to);
        } else if (source.fetched().isPresent()) {
          if (source.fetched().get().packedBytes() > 0) {
            unpacked.add(source, to);
          } else {
            copyIn(source.fetched().get().data(), to);
          }
          if (!source.fetched().get().isChecked()) {
            arrived.add(source, to);
          }
        } else {
          copyIn(source, to);
        }
      }
      pull(pulls, owners.size());
      unpacked.queue();
      Supplier<int[]> checksums = arrived.queue();
      copies.await();
      unpacked.check();
      arrived.check(checksums.get());
    } catch (CorruptIndexException | HeapException | IOException e) {
      throw task.failures().raise(requireNonNull(current, "no table").map(), e.getMessage(), e);
    } catch (InternalError e) {
      throw task.failures().truncated(requireNonNull(current, "no table").map(), e);
    }
    return parts;
  }

  /** A table whose metadata the engine can trust. */
  private TablePart checked(PackedTableRef source, DeviceRange data) {
    TablePart part = new TablePart(source.table().metadata(), data);
    Optional<String> problem = engine.problem(part, source.table().rows(), types.length);
    if (problem.isPresent()) {
      throw task.failures()
          .raise(
              source.map(),
              "the metadata of a table of partition %d is wrong: %s"
                  .formatted(source.table().partition(), problem.get()),
              null);
    }
    return part;
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

  /** Tables from device heaps, whose checksums are verified together when they are on this GPU. */
  private final class Arrived {
    private final List<PackedTableRef> sources = new ArrayList<>();
    private final List<DeviceRange> ranges = new ArrayList<>();

    void add(PackedTableRef source, DeviceRange data) {
      if (task.verify()) {
        sources.add(source);
        ranges.add(data);
      }
    }

    /** Queues the computation of their checksums, or computes them on the host. */
    Supplier<int[]> queue() throws IOException {
      try {
        return copies.checksums(ranges);
      } catch (NativeCallException e) {
        requireOutOfMemory(e);
        int[] checksums = copies.checksumsOnHost(ranges);
        return () -> checksums;
      }
    }

    void check(int[] checksums) {
      for (int i = 0; i < checksums.length; i++) {
        TableAssembler.this.check(sources.get(i), checksums[i]);
      }
    }
  }

  /** Tables that another host's GPU has packed, which are unpacked together. */
  private final class Unpacked {
    private final Optional<EngineBuffer> buffer;
    private final List<PackedTableRef> sources = new ArrayList<>();
    private final List<DeviceRange> packed = new ArrayList<>();
    private final List<DeviceRange> plain = new ArrayList<>();
    private Supplier<BitSet> damaged = BitSet::new;
    private long used;

    Unpacked(Optional<EngineBuffer> buffer) {
      this.buffer = buffer;
    }

    /** Copies a packed table to the GPU. */
    void add(PackedTableRef source, DeviceRange to) throws IOException {
      FetchedTable fetched = source.fetched().orElseThrow();
      DeviceRange from = buffer.orElseThrow().range().slice(used, fetched.packedBytes());
      used += TableCopies.aligned(fetched.packedBytes());
      copyIn(fetched.data(), from);
      sources.add(source);
      packed.add(from);
      plain.add(to);
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
                sources.get(first).map(),
                "the packed table of partition %d cannot be unpacked"
                    .formatted(sources.get(first).table().partition()),
                null);
      }
    }
  }

  private DeviceRange deviceData(PackedTableRef source) {
    TableOutput output = source.output().orElseThrow();
    TableEntry table = source.table();
    return device
        .flatMap(tier -> tier.heap().range(output.pe(), table.place(), table.bytes()))
        .orElseThrow(
            () ->
                new CorruptIndexException(
                    output.id(),
                    "table of %d bytes at %d in the device heap of PE %d, which this GPU cannot access"
                        .formatted(table.bytes(), table.place(), output.pe())));
  }

  private void copyIn(PackedTableRef source, DeviceRange to) throws IOException {
    TableEntry table = source.table();
    if (table.tier() == Tier.HOST) {
      MemorySegment data = source.output().get().hostMemory(table.place(), table.bytes());
      Pages.touch(data);
      check(source, Crc32c.of(data, 0, data.byteSize()));
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

  private void copyFromDisk(PackedTableRef source, DeviceRange to) throws IOException {
    TableEntry table = source.table();
    try (RunReader file = RunReader.open(source.output().orElseThrow());
        Arena arena = Arena.ofConfined()) {
      long stepBytes = Math.min(DISK_STEP, table.bytes());
      MemorySegment step =
          DirectMemory.require(
              "a buffer of %d bytes to read a table from disk",
              stepBytes, () -> arena.allocate(stepBytes, TableCopies.ALIGNMENT));
      CRC32C crc = new CRC32C();
      for (long done = 0; done < table.bytes(); done += DISK_STEP) {
        MemorySegment part = step.asSlice(0, Math.min(DISK_STEP, table.bytes() - done));
        file.read(table.place() + done, part.asByteBuffer());
        crc.update(part.asByteBuffer());
        copies.toDevice(to.slice(done, part.byteSize()), part);
      }
      check(source, (int) crc.getValue());
    }
  }

  private void check(PackedTableRef source, int actual) {
    if (task.verify() && actual != source.table().checksum()) {
      throw task.failures()
          .raise(
              source.map(),
              "table of partition %d has checksum %08x instead of %08x"
                  .formatted(source.table().partition(), actual, source.table().checksum()),
              null);
    }
  }
}
