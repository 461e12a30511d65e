// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.core.PeerPages;
import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.serve.Compressors;
import io.symshuffle.shuffle.serve.ServedBlock;
import io.symshuffle.shuffle.table.FakeEngine;
import io.symshuffle.shuffle.table.ImpatientCopies;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.TableCopies;
import io.symshuffle.shuffle.write.TableWriterAccess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Writes packed tables on one PE and reads them on another, on fakes that run the real kernels on
 * the CPU.
 */
class TableRoundTripTest {
  private static final long DEVICE_BYTES = 1L << 20;
  private static final long HOST_BYTES = 1L << 20;
  private static final int PARTITIONS = 5;
  private static final Duration IMPATIENT = Duration.ofMillis(50);
  private static final DataType[] TYPES = {DataTypes.LongType};

  @TempDir Path folder;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final Windows windows = new Windows();
  private TwoDevices devices;
  private DeviceTier[] tiers;
  private final FakeEngine[] engines = new FakeEngine[2];
  private final Owner[] owners = new Owner[2];
  private final ShuffleStats stats = new ShuffleStats();

  /** One table that was written. */
  private record Written(int map, int partition, byte[] data, byte[] metadata, long rows) {}

  @BeforeEach
  void start() throws Exception {
    devices = new TwoDevices(folder, DEVICE_BYTES);
    tiers = devices.start();
    for (int pe = 0; pe < TwoDevices.COUNT; pe++) {
      Path disk = Files.createDirectory(folder.resolve("disk" + pe));
      owners[pe] = Owner.add(windows, HOST_BYTES, tiers[pe].slabs(), disk);
      engines[pe] = new FakeEngine(tiers[pe].context());
    }
  }

  @AfterEach
  void end() {
    devices.close();
    windows.close();
  }

  @Test
  void pullsTablesOfAnotherPe() throws IOException {
    List<Written> written = write(1, 7, 3, 2, 9_000);
    assertEquals(List.of(Tier.DEVICE), tiersOf(1, 7));
    TableBatch batch = batch(0, 1, 7, 0, PARTITIONS);
    ColumnarBatch result = assemble(0, batch);
    assertEquals(written.size(), result.numRows());
    assertSame(written, engines[0]);
    assertEquals(0, engines[0].open(), "buffers still open");
    assertEquals(bytesOf(written), stats.pulledByPe().get(1));
  }

  @Test
  void recordsPullInFlightRecorder() throws IOException {
    List<Written> written = write(1, 7, 3, 2, 9_000);
    TableBatch batch = batch(0, 1, 7, 0, PARTITIONS);
    assemble(0, batch);
    Path file = folder.resolve("pulls.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("io.symshuffle.Pull");
      recording.start();
      assemble(0, batch);
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> pulls = RecordingFile.readAllEvents(file);
    assertEquals(1, pulls.size(), pulls::toString);
    RecordedEvent pull = pulls.getFirst();
    assertEquals(bytesOf(written), pull.getLong("bytes"));
    assertEquals(bytesOf(written), pull.getLong("foreignBytes"));
    assertEquals(1, pull.getInt("peers"));
    assertTrue(pull.getInt("pieces") > 1, pull::toString);
    Duration onTheGpu = pull.getDuration("gpuTime");
    assertTrue(
        onTheGpu.isPositive() && onTheGpu.compareTo(pull.getDuration()) <= 0, pull::toString);
  }

  @Test
  void readsOwnTablesInPlace() throws IOException {
    List<Written> written = write(0, 3, 1, 2, 4_000);
    assemble(0, batch(0, 0, 3, 0, PARTITIONS));
    assertSame(written, engines[0]);
    assertEquals(bytesOf(written), stats.deviceBytesRead());
    assertEquals(0, stats.pulledBytes());
  }

  @Test
  void readsOnlyRequestedPartitions() throws IOException {
    List<Written> written = write(1, 1, 1, 3, 2_000);
    TableBatch batch = batch(0, 1, 1, 2, 4);
    assemble(0, batch);
    assertSame(
        written.stream().filter(w -> w.partition >= 2 && w.partition < 4).toList(), engines[0]);
  }

  @Test
  void spillsFromDeviceToHostToDisk() throws IOException {
    int map = 0;
    List<Written> written = new ArrayList<>();
    while (!tiersOf(1, map).contains(Tier.DISK)) {
      map++;
      assertTrue(map < 200, "the tiers never become full");
      written.addAll(write(1, map, map, 1, 40_000));
      if (map == 1) {
        assertEquals(List.of(Tier.DEVICE), tiersOf(1, map));
      }
    }
    assertTrue(stats.hostBytesWritten() > 0, "nothing was written to the HOST tier");
    assertTrue(stats.diskBytesWritten() > 0, "nothing was written to the DISK tier");
    for (int m = 1; m <= map; m++) {
      assemble(0, batch(0, 1, m, 0, PARTITIONS));
    }
    assertSame(written, engines[0]);
  }

  @Test
  void writesToHostHeapWithoutDeviceHeap() throws IOException {
    TableWriterAccess writer =
        new TableWriterAccess(
            owners[1].store.buildTables(new MapOutputId(9, 4), PARTITIONS),
            engines[1],
            Optional.empty(),
            PARTITIONS,
            true,
            stats);
    // The store has device slabs; to a writer, a full device heap is like none.
    takeAll(tiers[1].slabs());
    List<Written> written = fill(writer, 1, 4, 1, 1, 3_000);
    writer.commit();
    assertEquals(List.of(Tier.HOST), tiersOf(1, 4));
    assemble(0, batch(0, 1, 4, 0, PARTITIONS));
    assertSame(written, engines[0]);
  }

  @Test
  void transfersTablesOfEveryTier() throws Exception {
    int map = 0;
    List<Written> written = new ArrayList<>();
    while (!tiersOf(1, map).contains(Tier.DISK)) {
      map++;
      written.addAll(write(1, map, map, 1, 40_000));
    }
    for (int m = 1; m <= map; m++) {
      assemble(0, transferred(m, served(m)));
    }
    assertSame(written, engines[0]);
    assertEquals(bytesOf(written), stats.transferBytesRead());
  }

  @Test
  void failsFetchOnTruncatedOrDamagedTransfer() throws Exception {
    write(1, 1, 1, 2, 2_000);
    byte[] whole = served(1);
    assertTrue(transferred(1, whole).sources().size() > 1);
    for (int cut : new int[] {1, 39, 41, whole.length / 2, whole.length - 1}) {
      assertThrows(
          FetchFailedException.class,
          () -> transferred(1, Arrays.copyOf(whole, cut)),
          () -> "cut at " + cut);
    }
    for (int field = 0; field < TableFrameDescriptor.HEADER_BYTES; field += 4) {
      byte[] damaged = whole.clone();
      damaged[field + 3] ^= 0x40;
      int at = field;
      assertThrows(
          FetchFailedException.class, () -> transferred(1, damaged), () -> "field at " + at);
    }
    byte[] metadata = whole.clone();
    metadata[TableFrameDescriptor.HEADER_BYTES] ^= 1;
    assertThrows(FetchFailedException.class, () -> transferred(1, metadata));
  }

  @Test
  void readsTableWithoutColumns() throws IOException {
    TableWriterAccess writer = writer(1, 2);
    writer.add(1, engines[1].table(new byte[0], new byte[0], 41));
    writer.add(3, engines[1].table(new byte[0], new byte[0], 1));
    long[] bytes = writer.commit();
    assertTrue(bytes[1] > 0 && bytes[3] > 0, "the tracker would omit these partitions");
    assertEquals(0, bytes[0]);
    TableBatch batch = batch(0, 1, 2, 0, PARTITIONS);
    TableAssembler assembler = assembler(0, new DataType[0]);
    assertEquals(42, assembler.assemble(batch).numRows());
  }

  @Test
  void rowChecksumIsTheSameInAnyOrder() throws IOException {
    long whole = rowChecksum(1, table(2, 10, 20, 30), table(4, 40));
    assertAll(
        // The second table of partition 2 starts another batch.
        () -> assertEquals(whole, rowChecksum(2, table(2, 30, 10), table(2, 20), table(4, 40))),
        () -> assertNotEquals(whole, rowChecksum(3, table(2, 10, 20, 31), table(4, 40))),
        () -> assertNotEquals(whole, rowChecksum(4, table(2, 10, 20, 30, 30), table(4, 40))),
        () -> assertNotEquals(whole, rowChecksum(5, table(2, 10, 20, 40), table(4, 30))),
        () -> assertNotEquals(whole, rowChecksum(6, table(2, 10, 20, 30), table(3, 40))));
  }

  @Test
  void rowChecksumCountsRowsWithoutColumns() throws IOException {
    long whole = rowChecksum(1, new Written(0, 1, new byte[0], new byte[0], 5));
    assertAll(
        () ->
            assertEquals(
                whole,
                rowChecksum(
                    2,
                    new Written(0, 1, new byte[0], new byte[0], 2),
                    new Written(0, 1, new byte[0], new byte[0], 3))),
        () ->
            assertNotEquals(whole, rowChecksum(3, new Written(0, 1, new byte[0], new byte[0], 4))),
        () ->
            assertNotEquals(whole, rowChecksum(4, new Written(0, 2, new byte[0], new byte[0], 5))));
  }

  /** A table of which each byte is a row. */
  private static Written table(int partition, int... rows) {
    byte[] data = new byte[rows.length];
    for (int i = 0; i < rows.length; i++) {
      data[i] = (byte) rows[i];
    }
    return new Written(0, partition, data, new byte[] {1}, rows.length);
  }

  private long rowChecksum(int map, Written... tables) throws IOException {
    TableWriterAccess writer = writer(1, map);
    for (Written each : tables) {
      writer.add(each.partition, engines[1].table(each.data, each.metadata, each.rows));
    }
    writer.commit();
    return writer.rowChecksum();
  }

  @Test
  void abortReleasesEverything() throws IOException {
    long device = tiers[1].slabs().stats().usedBytes();
    long host = owners[1].used();
    TableWriterAccess writer = writer(1, 6);
    fill(writer, 1, 6, 1, 4, 50_000);
    writer.abort();
    writer.abort();
    assertEquals(device, tiers[1].slabs().stats().usedBytes());
    assertEquals(host, owners[1].used());
    assertEquals(0, engines[1].open());
    assertEquals(Optional.empty(), find(0, 1, 6));
  }

  @Test
  void unregisterFreesDeviceHeap() throws IOException {
    write(1, 1, 1, 2, 20_000);
    assertTrue(tiers[1].slabs().stats().usedBytes() > 0);
    owners[1].store.unregister(9);
    owners[1].store.reclaim();
    assertEquals(0, tiers[1].slabs().stats().usedBytes());
  }

  /** A map output of PE 1, with tables, whose copies time out, since the GPU is held back. */
  private TableWriterAccess lateWriter() throws IOException {
    TableWriterAccess late =
        new TableWriterAccess(
            owners[1].store.buildTables(new MapOutputId(9, 1), PARTITIONS),
            ImpatientCopies.create(engines[1], tiers[1].kernels(), IMPATIENT),
            Optional.of(tiers[1]),
            PARTITIONS,
            true,
            stats);
    fill(late, 1, 1, 1, 1, 20_000);
    FakeLibraries.script(folder.resolve("cuda-1"), "hold");
    return late;
  }

  @Test
  void doesNotReuseSlabThatTimedOutCopyMayStillWrite() throws IOException {
    TableWriterAccess late = lateWriter();
    IOException timeout = assertThrows(IOException.class, late::commit);
    assertTrue(timeout.getMessage().contains("took longer than 0.05 s"), timeout.getMessage());
    late.abort();
    FakeLibraries.script(folder.resolve("cuda-1"));
    assertEquals(0, engines[1].open(), "tables still open");

    // Another task has another stream, so the late copy runs after its map output is written.
    FakeEngine lateEngine = engines[1];
    engines[1] = new FakeEngine(tiers[1].context());
    List<Written> written = write(1, 2, 1, 1, 20_000);
    lateEngine.stream().synchronize();
    assemble(0, batch(0, 1, 2, 0, PARTITIONS));
    assertSame(written, engines[0]);
  }

  @Test
  void freesSlabWhenLateCopyCompletesBeforeAbort() throws IOException {
    TableWriterAccess late = lateWriter();
    assertThrows(IOException.class, late::commit);
    FakeLibraries.script(folder.resolve("cuda-1"));
    late.abort();
    assertEquals(0, tiers[1].slabs().stats().usedBytes());
  }

  @Test
  void keepsTablesInPlaceUntilTheyWereConcatenated() throws Exception {
    List<Written> written = write(0, 3, 1, 2, 4_000);
    TableAssembler assembler = assembler(0, TYPES);
    Lease lease = owners[0].leases.acquire(9);
    engines[0].beforeUnpack(() -> FakeLibraries.script(folder.resolve("cuda-0"), "hold"));
    assembler.assemble(batch(0, 0, 3, 0, PARTITIONS));
    Thread end =
        Thread.ofPlatform()
            .start(
                () -> {
                  if (assembler.settle()) {
                    lease.close();
                  }
                });
    end.join(200);
    assertTrue(end.isAlive(), "the task ended before the tables were concatenated");
    owners[0].store.unregister(9);
    owners[0].store.reclaim();
    assertTrue(tiers[0].slabs().stats().usedBytes() > 0, "the tables are still being read");
    FakeLibraries.script(folder.resolve("cuda-0"));
    end.join();
    owners[0].store.reclaim();
    assertEquals(0, tiers[0].slabs().stats().usedBytes());
    assertSame(written, engines[0]);
    assembler.close();
  }

  @Test
  void reportsTablesInPlaceThatAreStillReadAfterTheLimit() throws IOException {
    write(0, 3, 1, 2, 4_000);
    TableCopies copies = ImpatientCopies.create(engines[0], tiers[0].kernels(), IMPATIENT);
    TableAssembler assembler = assembler(0, TYPES, copies, true);
    engines[0].beforeUnpack(() -> FakeLibraries.script(folder.resolve("cuda-0"), "hold"));
    assembler.assemble(batch(0, 0, 3, 0, PARTITIONS));
    assertFalse(assembler.settle());
    FakeLibraries.script(folder.resolve("cuda-0"));
    assertTrue(assembler.settle());
    assembler.close();
  }

  @Test
  void doesNotWaitForConcatenationOfPulledTables() throws IOException {
    write(1, 3, 1, 2, 4_000);
    TableCopies copies = ImpatientCopies.create(engines[0], tiers[0].kernels(), IMPATIENT);
    TableAssembler assembler = assembler(0, TYPES, copies, true);
    engines[0].beforeUnpack(() -> FakeLibraries.script(folder.resolve("cuda-0"), "hold"));
    assembler.assemble(batch(0, 1, 3, 0, PARTITIONS));
    assertTrue(assembler.settle());
    FakeLibraries.script(folder.resolve("cuda-0"));
    assembler.close();
  }

  @Test
  void failsWhenTheEngineSwitchesStreams() throws IOException {
    write(1, 3, 1, 2, 4_000);
    TableAssembler assembler = assembler(0, TYPES);
    engines[0].switchStream();
    TableBatch batch = batch(0, 1, 3, 0, PARTITIONS);
    assertThrows(IllegalStateException.class, () -> assembler.assemble(batch));
    assembler.close();
  }

  @Test
  void readsChecksumsThroughPinnedMemory() throws IOException {
    List<Written> written = write(1, 1, 1, 2, 2_000);
    FakeLibraries.script(folder.resolve("cuda-0"), "pinned_only");
    assemble(0, batch(0, 1, 1, 0, PARTITIONS));
    FakeLibraries.script(folder.resolve("cuda-0"));
    assertSame(written, engines[0]);
  }

  @Test
  void failsFetchOnPlaceOutsideWindow() throws IOException {
    write(1, 1, 1, 1, 1_000);
    PackedTableRef good = batch(0, 1, 1, 0, PARTITIONS).sources().getFirst();
    TableEntry table = good.table();
    TableEntry bad =
        new TableEntry(
            table.partition(),
            Tier.DEVICE,
            DEVICE_BYTES - 8,
            table.bytes(),
            table.rows(),
            table.metadata(),
            0);
    TableBatch batch =
        new TableBatch(
            List.of(PackedTableRef.inPlace(good.map(), good.output().orElseThrow(), bad)), 1, 8);
    assertThrows(FetchFailedException.class, () -> assemble(0, batch));
    assertEquals(0, engines[0].open());
  }

  @Test
  void failsFetchOnFlippedBitInHostHeap() throws IOException {
    takeAll(tiers[1].slabs());
    write(1, 1, 1, 1, 1_000);
    TableBatch batch = batch(0, 1, 1, 0, PARTITIONS);
    TableEntry table =
        batch.sources().stream()
            .map(PackedTableRef::table)
            .max(Comparator.comparingLong(TableEntry::bytes))
            .orElseThrow();
    assertEquals(Tier.HOST, table.tier());
    long at = table.place() + table.bytes() / 2;
    byte before = owners[1].window.get(ValueLayout.JAVA_BYTE, at);
    owners[1].window.set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ 4));
    assertThrows(FetchFailedException.class, () -> assemble(0, batch));
  }

  @Test
  void failsFetchOnFlippedBitInDeviceHeap() throws IOException {
    write(1, 1, 1, 2, 1_000);
    flipABit(batch(0, 1, 1, 0, PARTITIONS));
    // Pulled, read in place, and served to a host that cannot access the GPU.
    assertThrows(FetchFailedException.class, () -> assemble(0, batch(0, 1, 1, 0, PARTITIONS)));
    assertThrows(FetchFailedException.class, () -> assemble(1, batch(1, 1, 1, 0, PARTITIONS)));
    byte[] served = served(1);
    assertThrows(FetchFailedException.class, () -> transferred(1, served));
    assertEquals(0, engines[0].open() + engines[1].open());
  }

  @Test
  void ignoresDamageWithoutChecksums() throws IOException {
    TableWriterAccess writer = writer(1, 1, false);
    List<Written> written = fill(writer, 1, 1, 1, 1, 1_000);
    writer.commit();
    TableBatch batch = batch(0, 1, 1, 0, PARTITIONS);
    batch.sources().forEach(source -> assertEquals(0, source.table().checksum()));
    flipABit(batch);
    try (TableAssembler assembler = assembler(0, TYPES, false)) {
      assertEquals(written.size(), assembler.assemble(batch).numRows());
    }
  }

  /** Flips a bit in the middle of the largest table, in the owner's memory. */
  private void flipABit(TableBatch batch) {
    TableEntry table =
        batch.sources().stream()
            .map(PackedTableRef::table)
            .max(Comparator.comparingLong(TableEntry::bytes))
            .orElseThrow();
    assertEquals(Tier.DEVICE, table.tier());
    DeviceRange byteOf = tiers[1].window().slice(table.place() + table.bytes() / 2, 1);
    try (Arena arena = Arena.ofConfined();
        CudaStream stream = tiers[1].context().newStream()) {
      MemorySegment one = arena.allocate(1);
      stream.copyOut(one, byteOf);
      stream.synchronize();
      one.set(ValueLayout.JAVA_BYTE, 0, (byte) (one.get(ValueLayout.JAVA_BYTE, 0) ^ 4));
      stream.copyIn(byteOf, one);
      stream.synchronize();
    }
  }

  @Test
  void limitsBatchesByBytesAndRows() {
    List<PackedTableRef> sources = new ArrayList<>();
    long[][] tables = {{10, 400}, {10, 500}, {10, 200}, {5, 5000}, {Integer.MAX_VALUE, 1}, {1, 1}};
    for (long[] table : tables) {
      sources.add(
          PackedTableRef.fetched(
              source(1),
              new TableEntry(0, Tier.HOST, 0, table[1], table[0], MemorySegment.NULL, 0),
              MemorySegment.NULL));
    }
    TableBatch.Cutter cutter = new TableBatch.Cutter(sources.iterator(), 1000);
    List<Integer> sizes = new ArrayList<>();
    while (cutter.hasNext()) {
      sizes.add(cutter.next().sources().size());
    }
    assertEquals(List.of(2, 1, 1, 1, 1), sizes);
  }

  private static void takeAll(SlabAllocator slabs) {
    for (long bytes : new long[] {64 << 10, 64}) {
      Optional<Slab> taken;
      do {
        taken = slabs.allocate(bytes);
      } while (taken.isPresent());
    }
  }

  private List<Written> write(int pe, int map, int first, int rounds, int most) throws IOException {
    TableWriterAccess writer = writer(pe, map);
    List<Written> written = fill(writer, pe, map, first, rounds, most);
    writer.commit();
    assertEquals(0, engines[pe].open(), "tables still open");
    return written;
  }

  private TableWriterAccess writer(int pe, int map) {
    return writer(pe, map, true);
  }

  private TableWriterAccess writer(int pe, int map, boolean checksum) {
    return new TableWriterAccess(
        owners[pe].store.buildTables(new MapOutputId(9, map), PARTITIONS),
        engines[pe],
        Optional.of(tiers[pe]),
        PARTITIONS,
        checksum,
        stats);
  }

  /** Adds input batches: partitions ascend in each batch, and some are missing. */
  private List<Written> fill(
      TableWriterAccess writer, int pe, int map, int first, int rounds, int most)
      throws IOException {
    List<Written> written = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      for (int p = 0; p < PARTITIONS; p++) {
        if (p != first % PARTITIONS && random.nextInt(4) == 0) {
          continue;
        }
        byte[] data = new byte[1 + random.nextInt(most)];
        byte[] metadata = new byte[1 + random.nextInt(100)];
        random.nextBytes(data);
        random.nextBytes(metadata);
        written.add(new Written(map, p, data, metadata, 1 + random.nextInt(1000)));
        PackedTable table = engines[pe].table(data, metadata, written.getLast().rows);
        writer.add(p, table);
      }
    }
    return written;
  }

  private TableBatch batch(int reader, int owner, int map, int start, int end) throws IOException {
    TableOutput output = find(reader, owner, map).orElseThrow();
    List<PackedTableRef> sources = new ArrayList<>();
    long rows = 0;
    long bytes = 0;
    for (int t = output.index().first(start); t < output.index().first(end); t++) {
      TableEntry table = output.index().table(t);
      sources.add(PackedTableRef.inPlace(source(map), output, table));
      rows += table.rows();
      bytes += table.bytes();
    }
    assertFalse(sources.isEmpty(), "seed " + seed);
    return new TableBatch(sources, rows, bytes);
  }

  private byte[] served(int map) throws IOException {
    ServedBlock block =
        new ServedBlock(
            find(1, 1, map).orElseThrow(),
            Optional.of(tiers[1]),
            UnaryOperator.identity(),
            0,
            PARTITIONS,
            () -> owners[1].leases.acquire(9),
            Compressors.of(Codec.LZ4, stats),
            stats);
    byte[] bytes;
    try (InputStream in = block.createInputStream()) {
      bytes = in.readAllBytes();
    }
    assertEquals(block.size(), bytes.length);
    block.release();
    return bytes;
  }

  private TableBatch transferred(int map, byte[] bytes) {
    Tuple2<BlockId, InputStream> block =
        new Tuple2<>(new ShuffleBlockId(9, map, 0), new ByteArrayInputStream(bytes));
    FetchedFrames frames =
        new FetchedFrames(
            CollectionConverters.asScala(List.of(block).iterator()),
            Map.of((long) map, source(map)),
            new FetchFailures(9, 0, stats));
    return new TableBatch.Cutter(new TableTransfer(frames), Long.MAX_VALUE).next();
  }

  private Optional<TableOutput> find(int reader, int owner, int map) throws IOException {
    return new MapOutputs(windows.heap(reader))
        .find(owner, new MapOutputId(9, map))
        .map(MapOutput::tables);
  }

  private List<Tier> tiersOf(int owner, int map) throws IOException {
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

  private ColumnarBatch assemble(int pe, TableBatch batch) {
    try (TableAssembler assembler = assembler(pe, TYPES)) {
      ColumnarBatch result = assembler.assemble(batch);
      assembler.count(batch);
      return result;
    }
  }

  private TableAssembler assembler(int pe, DataType[] types) {
    return assembler(pe, types, true);
  }

  private TableAssembler assembler(int pe, DataType[] types, boolean verify) {
    TableCopies copies = new TableCopies(engines[pe], Optional.of(tiers[pe].kernels()));
    return assembler(pe, types, copies, verify);
  }

  private TableAssembler assembler(int pe, DataType[] types, TableCopies copies, boolean verify) {
    return new TableAssembler(
        engines[pe],
        copies,
        Optional.of(tiers[pe]),
        types,
        ReadTask.of(
            new ReadRequest(9, 0, Integer.MAX_VALUE, 0, PARTITIONS),
            new MapOutputs(windows.heap(pe)),
            verify,
            new FakeMetrics(),
            stats,
            PeerPages.unlimited()));
  }

  private static MapSource source(int map) {
    return new MapSource(BlockManagerId.apply("1", "host", 7337, Option.empty()), map, 0);
  }

  private static long bytesOf(List<Written> written) {
    return written.stream().mapToLong(w -> w.data.length).sum();
  }

  /**
   * Asserts that the engine unpacked the tables by partition within a map output, in the order in
   * which they were written.
   */
  private void assertSame(List<Written> written, FakeEngine engine) {
    List<Written> expected = new ArrayList<>(written);
    expected.sort(Comparator.comparingInt(Written::map).thenComparingInt(Written::partition));
    assertEquals(expected.size(), engine.unpackedData().size(), "seed " + seed);
    for (int i = 0; i < expected.size(); i++) {
      assertArrayEquals(expected.get(i).data, engine.unpackedData().get(i), "seed " + seed);
      assertArrayEquals(expected.get(i).metadata, engine.unpackedMetadata().get(i), "seed " + seed);
    }
  }
}
