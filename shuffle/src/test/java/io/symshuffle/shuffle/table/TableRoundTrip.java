// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.read.FakeMetrics;
import io.symshuffle.shuffle.read.FetchedFrames;
import io.symshuffle.shuffle.read.MapSource;
import io.symshuffle.shuffle.read.ReadRequest;
import io.symshuffle.shuffle.read.ReadTask;
import io.symshuffle.shuffle.read.Reading;
import io.symshuffle.shuffle.runtime.PeerPages;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.serve.BlockServer;
import io.symshuffle.shuffle.serve.Compressors;
import io.symshuffle.shuffle.serve.SendOptions;
import io.symshuffle.shuffle.serve.ServedBlock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.Tuple2;

/**
 * Two PEs with device heaps, on fakes that run the real kernels on the CPU. Tests write tables on
 * one PE and read them on another.
 */
abstract class TableRoundTrip {
  static final long DEVICE_BYTES = 1L << 20;
  static final long HOST_BYTES = 1L << 20;
  static final long PINNED_BYTES = 8L << 20;
  static final int PARTITIONS = 5;
  static final Duration IMPATIENT = Duration.ofMillis(50);
  static final DataType[] TYPES = {DataTypes.LongType};

  @TempDir Path folder;
  final long seed = System.nanoTime();
  final Random random = new Random(seed);
  final Windows windows = new Windows();
  TwoDevices devices;
  DeviceTier[] tiers;
  final FakeEngine[] engines = new FakeEngine[2];
  final Owner[] owners = new Owner[2];
  final ShuffleStats stats = new ShuffleStats();

  /** How many frames {@link #served} has last returned, by map output. */
  final Map<Integer, Integer> framesServed = new HashMap<>();

  /** Pinned memory of each PE. */
  final PinnedPool[] pools = new PinnedPool[2];

  /** Of the test's task on PE 0. */
  ArrivalMemory memory;

  /** One table that was written. */
  record Written(int map, int partition, byte[] data) {}

  @BeforeEach
  void start() throws Exception {
    devices = new TwoDevices(folder, DEVICE_BYTES);
    tiers = devices.start();
    for (int pe = 0; pe < TwoDevices.COUNT; pe++) {
      Path disk = Files.createDirectory(folder.resolve("disk" + pe));
      owners[pe] = Owner.add(windows, HOST_BYTES, tiers[pe].slabs(), disk);
      engines[pe] = new FakeEngine(tiers[pe].context());
    }
    startPools(PINNED_BYTES);
  }

  private void startPools(long pinnedBytes) {
    for (int pe = 0; pe < TwoDevices.COUNT; pe++) {
      pools[pe] = new PinnedPool(tiers[pe].context(), pinnedBytes);
    }
    memory = new ArrivalMemory(Optional.of(pools[0]));
  }

  private void endPools() {
    memory.close();
    for (PinnedPool pool : pools) {
      assertEquals(0, pool.usedBytes(), "pinned memory still in use");
      pool.close();
    }
  }

  /** Gives each PE another amount of pinned memory. */
  void pinAtMost(long bytes) {
    endPools();
    startPools(bytes);
  }

  @AfterEach
  void end() {
    if (memory != null) {
      endPools();
    }
    devices.close();
    windows.close();
  }

  static void takeAll(SlabAllocator slabs) {
    for (long bytes : new long[] {64 << 10, 64}) {
      Optional<Slab> taken;
      do {
        taken = slabs.allocate(bytes);
      } while (taken.isPresent());
    }
  }

  List<Written> write(int pe, int map, int first, int rounds, int most) throws IOException {
    TableWriterAccess writer = writer(pe, map);
    List<Written> written = fill(writer, pe, map, first, rounds, most);
    writer.commit();
    assertEquals(0, engines[pe].open(), "tables still open");
    return written;
  }

  /** Writes a map output of PE 1: a table of 64-bit numbers below 100 for each partition. */
  List<Written> writeNumbers(int map, int numbers) throws IOException {
    return writeNumbers(writer(1, map), map, numbers);
  }

  List<Written> writeNumbers(TableWriterAccess writer, int map, int numbers) throws IOException {
    List<Written> written = new ArrayList<>();
    List<FakeEngine.Table> tables = new ArrayList<>();
    for (int p = 0; p < PARTITIONS; p++) {
      ByteBuffer data = ByteBuffer.allocate(Long.BYTES * numbers).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < numbers; i++) {
        data.putLong(random.nextInt(100));
      }
      written.add(new Written(map, p, data.array()));
      tables.add(new FakeEngine.Table(p, data.array()));
    }
    writer.add(engines[1].batchOf(tables));
    writer.commit();
    return written;
  }

  TableWriterAccess writer(int pe, int map) {
    return writer(pe, map, true);
  }

  TableWriterAccess writer(int pe, int map, boolean checksum) {
    return new TableWriterAccess(
        owners[pe].store.buildTables(new MapOutputId(9, map), PARTITIONS),
        engines[pe],
        Optional.of(tiers[pe]),
        pools[pe],
        PARTITIONS,
        checksum,
        stats);
  }

  /** Adds input batches: partitions ascend in each batch, and some are missing. */
  List<Written> fill(TableWriterAccess writer, int pe, int map, int first, int rounds, int most)
      throws IOException {
    List<Written> written = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      List<FakeEngine.Table> batch = new ArrayList<>();
      for (int p = 0; p < PARTITIONS; p++) {
        if (p != first % PARTITIONS && random.nextInt(4) == 0) {
          continue;
        }
        byte[] data = randomBytes(1 + random.nextInt(most));
        written.add(new Written(map, p, data));
        batch.add(new FakeEngine.Table(p, data));
      }
      writer.add(engines[pe].batchOf(batch));
    }
    return written;
  }

  byte[] randomBytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  TableBatch batch(int reader, int owner, int map, int start, int end) throws IOException {
    TableOutput output = find(reader, owner, map).orElseThrow();
    List<TableRef> sources = new ArrayList<>();
    long rows = 0;
    long bytes = 0;
    for (int t = output.index().first(start); t < output.index().first(end); t++) {
      TableEntry table = output.index().table(t);
      sources.add(TableRef.inPlace(source(map), output, table));
      rows += table.rows();
      bytes += table.bytes();
    }
    assertFalse(sources.isEmpty(), "seed " + seed);
    return new TableBatch(sources, rows, bytes);
  }

  static TableEntry largest(TableBatch batch) {
    return batch.sources().stream()
        .map(TableRef::table)
        .max(Comparator.comparingLong(TableEntry::bytes))
        .orElseThrow();
  }

  /** Damages the largest table of a batch, in the host heap of PE 1. */
  void flipABitInTheHostHeap(TableBatch batch) {
    TableEntry table = largest(batch);
    assertEquals(Tier.HOST, table.tier());
    long at = table.place() + table.storedBytes() / 2;
    byte before = owners[1].window.get(ValueLayout.JAVA_BYTE, at);
    owners[1].window.set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ 4));
  }

  byte[] served(int map) throws IOException {
    return served(Codec.LZ4, map);
  }

  byte[] served(Codec codec, int map) throws IOException {
    BlockServer server = server(codec, Compressors.patient(0, false));
    try (server) {
      return served(server, map, 0, PARTITIONS);
    }
  }

  /** A server of PE 1's blocks. */
  BlockServer server(long pinnedBytes) {
    return server(pinnedBytes, false);
  }

  BlockServer server(long pinnedBytes, boolean packs) {
    return server(Compressors.patient(pinnedBytes, packs));
  }

  BlockServer server(SendOptions options) {
    return server(Codec.LZ4, options);
  }

  private BlockServer server(Codec codec, SendOptions options) {
    return Compressors.server(
        Compressors.of(codec, stats),
        Optional.of(tiers[1]),
        options,
        UnaryOperator.identity(),
        stats);
  }

  ServedBlock block(BlockServer server, int map, int start, int end) throws IOException {
    return server.answer(
        Reading.only(map),
        AnswerLimit.MAX_BYTES,
        List.of(find(1, 1, map).orElseThrow()),
        start,
        end,
        () -> owners[1].leases.acquire(9));
  }

  /** The frames of an answer, without its head; empty if the map output has no data there. */
  byte[] served(BlockServer server, int map, int start, int end) throws IOException {
    ServedBlock block = block(server, map, start, end);
    byte[] bytes;
    try (InputStream in = block.createInputStream()) {
      bytes = in.readAllBytes();
    }
    assertEquals(block.size(), bytes.length);
    block.release();
    Reading.Frames frames = Reading.Frames.of(bytes, Reading.only(map));
    framesServed.put(map, frames.count());
    return frames.bytes();
  }

  /**
   * What PE 0 has received, whose data is unpacked and verified on the GPU.
   *
   * @param bytes as many frames as {@link #served} has last returned for the map output
   */
  TableBatch transferred(int map, byte[] bytes) {
    return transferred(map, bytes, true);
  }

  TableBatch transferred(int map, byte[] bytes, boolean hasKernels) {
    InputStream answer = new ByteArrayInputStream(Reading.answer(framesServed.get(map), bytes));
    return new TableBatch.Cutter(transfer(map, answer, hasKernels), Long.MAX_VALUE, () -> false)
        .next();
  }

  /** What PE 0 reads from an answer with one map output. */
  TableTransfer transfer(int map, InputStream answer, boolean hasKernels) {
    Tuple2<BlockId, InputStream> block = new Tuple2<>(Reading.asking(Reading.only(map)), answer);
    FetchedFrames frames =
        Reading.frames(
            List.of(block), Map.of((long) map, source(map)), Reading.failures(9, 0, stats));
    return new TableTransfer(frames, memory, hasKernels, stats);
  }

  Optional<TableOutput> find(int reader, int owner, int map) throws IOException {
    return new MapOutputs(windows.heap(reader))
        .find(owner, new MapOutputId(9, map))
        .map(MapOutput::tables);
  }

  List<Tier> tiersOf(int owner, int map) throws IOException {
    Optional<TableOutput> output = find(0, owner, map);
    List<Tier> found = new ArrayList<>();
    if (output.isPresent()) {
      for (int t = 0; t < output.get().index().tables(); t++) {
        Tier tier = output.get().index().table(t).tier();
        if (!found.contains(tier)) {
          found.add(tier);
        }
      }
    }
    return found;
  }

  ColumnarBatch assemble(int pe, TableBatch batch) {
    BatchAssembler assembler = assembler(pe, TYPES);
    try {
      ColumnarBatch result = assembler.assemble(batch);
      batch.close();
      assembler.count(batch);
      return result;
    } finally {
      assembler.settle();
      assembler.close();
    }
  }

  BatchAssembler assembler(int pe, DataType[] types) {
    return assembler(pe, types, true);
  }

  BatchAssembler assembler(int pe, DataType[] types, boolean verify) {
    return assembler(pe, types, copies(pe), verify);
  }

  TableCopies copies(int pe) {
    return new TableCopies(engines[pe], Optional.of(tiers[pe].kernels()), Optional.of(pools[pe]));
  }

  BatchAssembler assembler(int pe, DataType[] types, TableCopies copies, boolean verify) {
    return new BatchAssembler(
        engines[pe], copies, Optional.of(tiers[pe]), types, task(pe, 0, verify));
  }

  ReadTask task(int pe, int startPartition, boolean verify) {
    return ReadTask.of(
        new ReadRequest(9, 0, Integer.MAX_VALUE, startPartition, PARTITIONS),
        new MapOutputs(windows.heap(pe)),
        verify,
        new FakeMetrics(),
        stats,
        PeerPages.unlimited(),
        Optional.empty());
  }

  static MapSource source(int map) {
    return new MapSource(BlockManagerId.apply("1", "host", 7337, Option.empty()), map, 0);
  }

  /** Bytes of the serialized tables. */
  static long bytesOf(List<Written> written) {
    return written.stream()
        .mapToLong(w -> FakeEngine.HEADER_BYTES + ((w.data.length + 3) & -4))
        .sum();
  }

  /**
   * Asserts that the engine assembled the tables by partition within a map output, in the order in
   * which they were written.
   */
  void assertSame(List<Written> written, FakeEngine engine) {
    List<Written> expected = new ArrayList<>(written);
    expected.sort(Comparator.comparingInt(Written::map).thenComparingInt(Written::partition));
    assertEquals(expected.size(), engine.assembledData().size(), "seed " + seed);
    for (int i = 0; i < expected.size(); i++) {
      assertArrayEquals(expected.get(i).data, engine.assembledData().get(i), "seed " + seed);
    }
  }
}
