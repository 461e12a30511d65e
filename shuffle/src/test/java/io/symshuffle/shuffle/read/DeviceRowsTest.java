// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.assertFetchFails;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.failures;
import static io.symshuffle.shuffle.read.Reading.source;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.heap.NvshmemHeap;
import io.symshuffle.heap.Slab;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.PeSetup;
import io.symshuffle.shuffle.InParallel;
import io.symshuffle.shuffle.SeededRandom;
import io.symshuffle.shuffle.ShuffleStats;
import io.symshuffle.shuffle.Windows;
import io.symshuffle.shuffle.device.DeviceRows;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputSink;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.read.HostCursor.LocalSource;
import io.symshuffle.shuffle.serve.ServedBlock;
import io.symshuffle.shuffle.write.RowWriterAccess;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Records from one PE's tasks through GPU memory to another's, on fakes: real kernels, on the CPU.
 */
@ExtendWith(SeededRandom.class)
class DeviceRowsTest {
  private static final int[] PES = {0, 1};
  private static final long DEVICE_BYTES = 2L << 20;
  private static final long HOST_BYTES = 2L << 20;
  private static final int FERRY_BYTES = 16 << 10;
  private static final int PARTITIONS = 40;
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration GPU_LIMIT = Duration.ofMillis(300);

  @TempDir Path folder;
  private final Windows windows = new Windows();
  private final NvshmemRuntime[] runtimes = new NvshmemRuntime[2];
  private final DeviceTier[] tiers = new DeviceTier[2];
  private final DeviceRows[] rows = new DeviceRows[2];
  private final Owner[] owners = new Owner[2];
  private final ShuffleStats stats = new ShuffleStats();

  @BeforeEach
  void start() throws Exception {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    InParallel.run(stop -> start(0), stop -> start(1));
    for (int pe : PES) {
      Path disk = Files.createDirectory(folder.resolve("disk" + pe));
      owners[pe] = Owner.add(windows, HOST_BYTES, tiers[pe].slabs(), disk);
      rows[pe] = new DeviceRows(tiers[pe], FERRY_BYTES, GPU_LIMIT);
    }
  }

  private void start(int pe) throws Exception {
    NvshmemRuntime runtime = PeSetup.FAKE.open(folder, pe, NvshmemHeap.arenaBytes(DEVICE_BYTES));
    runtimes[pe] = runtime;
    PeSetup.start(runtime, folder, "1", pe, 2);
    NvshmemHeap heap = NvshmemHeap.create(runtime, DEVICE_BYTES, LIMIT);
    Kernels kernels =
        Kernels.load(runtime.context(), new KernelImage(Optional.of(new byte[16])), pe);
    tiers[pe] = new DeviceTier(heap, kernels, PES);
  }

  @AfterEach
  void end() {
    for (int pe : PES) {
      if (tiers[pe] != null) {
        rows[pe].close();
        tiers[pe].close();
        runtimes[pe].close();
      }
    }
    windows.close();
  }

  @ParameterizedTest
  @CsvSource({
    // records, partitions, longest record
    "0, 10, 8",
    "1, 1, 0",
    "5000, 1, 40",
    "5000, 7, 100",
    // More records than a ferry takes before it is full.
    "5000, 40, 0",
    "3000, 3000, 200",
    "400, 40, 4000",
    // Longer than a ferry, between others.
    "60, 5, 60000"
  })
  void whatOnePeWritesAnotherReads(int count, int partitions, int mostBytes, Random random)
      throws IOException {
    Records expected = new Records();
    RowWriterAccess writer = writer(1, 1, partitions);
    for (int i = 0; i < count; i++) {
      // Most are small, a few are long.
      byte[] record = new byte[(int) (mostBytes * Math.pow(random.nextDouble(), 3))];
      random.nextBytes(record);
      int partition = random.nextInt(partitions);
      writer.append(partition, record);
      expected.add(partition, record);
    }
    long[] bytes = writer.commit();
    long sum = 0;
    for (int partition = 0; partition < partitions; partition++) {
      assertEquals(expected.bytes(partition), bytes[partition]);
      sum += bytes[partition];
    }
    assertEquals(sum, stats.deviceBytesWritten() + stats.hostBytesWritten());
    assertEquals(0, stats.diskBytesWritten());
    Optional<MapOutput> output = find(1, 1);
    assertEquals(count > 0, output.isPresent());
    if (count > 0) {
      Records.read(output.get(), true, run -> copyOut(1, run)).assertSameAs(expected);
      Records got = read(0, 0, partitions, 1, 1);
      assertSameContent(expected, got);
      assertEquals(sum - stats.hostBytesRead(), stats.pulledByPe().getOrDefault(1, 0L));
      assertSameContent(expected, read(1, 0, partitions, 1, 1));
      assertEquals(stats.pulledBytes(), stats.deviceBytesRead());
    }
    assertEquals(0, rows[1].ferriesInUse());
    owners[1].store.unregister(SHUFFLE);
    owners[1].store.reclaim();
    assertEquals(0, owners[1].used());
    assertEquals(0, tiers[1].slabs().stats().usedBytes());
  }

  @Test
  void onlyTheWantedPartitionsArePulled(Random random) throws IOException {
    Records expected = write(1, 1, 2_000, 300, random);
    Records got = read(0, 7, 9, 1, 1);
    assertSameContent(expected.range(7, 9), got);
    assertEquals(expected.bytes(7) + expected.bytes(8), stats.pulledBytes());
  }

  @Test
  void theOrderOfAPartitionsRecordsIsKeptThroughAllTiers(Random random) throws IOException {
    List<Slab> taken = takeAllButABit(1);
    Records expected = new Records();
    RowWriterAccess writer = writer(1, 1, PARTITIONS);
    for (int i = 0; i < 40_000; i++) {
      byte[] record = new byte[random.nextInt(150)];
      random.nextBytes(record);
      int partition = random.nextInt(PARTITIONS);
      writer.append(partition, record);
      expected.add(partition, record);
    }
    writer.commit();
    assertEquals(Set.of(Tier.DEVICE, Tier.HOST, Tier.DISK), tiersOf(1, 1));
    Records.read(find(1, 1).orElseThrow(), true, run -> copyOut(1, run)).assertSameAs(expected);
    assertSameContent(expected, read(0, 0, PARTITIONS, 1, 1));
    taken.forEach(slab -> tiers[1].slabs().free(slab));
  }

  @Test
  void aFullDeviceHeapIsNoHindrance(Random random) throws IOException {
    takeAll(1);
    Records expected = write(1, 1, 3_000, 100, random);
    assertEquals(Set.of(Tier.HOST), tiersOf(1, 1));
    assertSameContent(expected, read(0, 0, PARTITIONS, 1, 1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void abortGivesEverythingBackWheneverItComes(boolean room, Random random) throws IOException {
    long used = 0;
    if (!room) {
      takeAllButABit(1);
      used = tiers[1].slabs().stats().usedBytes();
    }
    for (int round = 0; round < 15; round++) {
      RowWriterAccess writer = writer(1, 1, PARTITIONS);
      for (int i = random.nextInt(3_000); i > 0; i--) {
        writer.append(random.nextInt(PARTITIONS), new byte[random.nextInt(150)]);
      }
      writer.abort();
      writer.abort();
      assertThrows(IllegalStateException.class, () -> writer.append(0, new byte[1]));
      assertEquals(0, owners[1].used());
      assertEquals(used, tiers[1].slabs().stats().usedBytes());
      assertEquals(0, rows[1].ferriesInUse());
      assertEquals(List.of(), owners[1].files());
    }
    assertEquals(Optional.empty(), find(1, 1));
  }

  @Test
  void recordsOfAllPesAreReadTogether(Random random) throws IOException {
    Records expected = new Records();
    List<LocalSource> sources = new ArrayList<>();
    for (int map = 0; map < 6; map++) {
      int pe = map % 2;
      Records written = write(pe, map, 1 + random.nextInt(2_000), 120, random);
      expected.addAll(written);
      sources.add(new LocalSource(source(pe, map), pe));
    }
    assertSameContent(expected, read(0, 0, PARTITIONS, sources));
    assertTrue(stats.pulledBytes() > 0 && stats.deviceBytesRead() > 0, stats::summary);
  }

  @Test
  void whatWasShownStaysAsItIsUntilALaterRecordIsTaken(Random random) throws IOException {
    write(1, 1, 8_000, 100, random);
    DeviceCursor cursor = cursor(0, plan(0, 0, PARTITIONS, List.of(local(1, 1))));
    byte[] before = new byte[0];
    long at = 0;
    while (cursor.advance()) {
      assertArrayEquals(before, copy(at, before.length), "the block before has changed");
      at = cursor.position;
      before = copy(at, (int) (cursor.limit - cursor.position));
    }
    assertArrayEquals(before, copy(at, before.length), "the last block has changed");
    assertTrue(stats.pulledBytes() > 8 * FERRY_BYTES, "too little to use a ferry twice");
    cursor.close();
    cursor.close();
    assertEquals(0, rows[0].ferriesInUse());
  }

  @Test
  void noMoreIsInFlightThanAllowed(Random random) throws IOException {
    write(1, 1, 8_000, 100, random);
    for (int ferries : new int[] {2, 3, 4}) {
      DeviceCursor cursor =
          new DeviceCursor(
              rows[0],
              plan(0, 0, PARTITIONS, List.of(local(1, 1))).device(),
              new DeviceCursor.Limits((long) ferries * FERRY_BYTES, true),
              new Metrics(),
              stats,
              failures(stats));
      cursor.start();
      int most = 0;
      while (cursor.advance()) {
        most = Math.max(most, rows[0].ferriesInUse());
      }
      assertEquals(ferries, most);
      assertEquals(1, rows[0].ferriesInUse(), "all but the last go back at the end of the data");
      cursor.close();
      assertEquals(0, rows[0].ferriesInUse());
    }
  }

  @Test
  void aFetchHasNotMorePiecesThanItsListMayHave(Random random) throws IOException {
    write(1, 1, 1, 100, random);
    DeviceBlocks one = plan(0, 0, PARTITIONS, List.of(local(1, 1))).device().getFirst();
    int pieces = 2 * DeviceFetch.Cutter.MOST_PARTS + 5;
    DeviceFetch.Cutter cutter =
        new DeviceFetch.Cutter(Collections.nCopies(pieces, one).iterator(), 1 << 30);
    List<Integer> parts = new ArrayList<>();
    while (cutter.hasNext()) {
      parts.add(cutter.next().parts().size());
    }
    assertEquals(List.of(DeviceFetch.Cutter.MOST_PARTS, DeviceFetch.Cutter.MOST_PARTS, 5), parts);
  }

  @Test
  void aTaskThatEndsInTheMiddleGivesItsFerriesBack(Random random) throws IOException {
    write(1, 1, 8_000, 100, random);
    for (int blocks : new int[] {0, 1, 41, 100}) {
      DeviceCursor cursor = cursor(0, plan(0, 0, PARTITIONS, List.of(local(1, 1))));
      for (int b = 0; b < blocks; b++) {
        assertTrue(cursor.advance());
      }
      assertTrue(rows[0].ferriesInUse() > 0);
      cursor.close();
      assertEquals(0, rows[0].ferriesInUse());
    }
  }

  @Test
  void aFlippedBitInGpuMemoryIsAFetchFailure(Random random) throws IOException {
    write(1, 1, 1_000, 100, random);
    RunView run = find(1, 1).orElseThrow().index().run(0);
    long at = run.place() + random.nextLong(run.bytes());
    ByteBuffer one = copyOut(1, at, 1);
    poke(1, at, (byte) (one.get(0) ^ (1 << random.nextInt(8))));
    String found = assertFetchFails(source(1, 1), () -> read(0, 0, PARTITIONS, 1, 1));
    assertTrue(found.matches("block of partition \\d+ has checksum .*"), found);
    assertTrue(rows[0].isUsable());
  }

  @Test
  void runsThatCannotBeFailTheFetch() throws IOException {
    long[][] places = {
      {DEVICE_BYTES - 64, 128}, {1L << 40, 64}, {65_540, 64}, {1 << 17, 2 * FERRY_BYTES}
    };
    for (int map = 0; map < places.length; map++) {
      int bytes = (int) places[map][1];
      MapOutputSink sink = owners[1].store.create(id(map), PARTITIONS);
      sink.addDeviceRun(
          new Slab(places[map][0], 64),
          bytes,
          new BlockTable(1, new int[] {3}, new int[] {0, bytes / 8}, new int[] {0}));
      sink.commit();
      int wrong = map;
      assertFetchFails(source(1, map), () -> read(0, 0, PARTITIONS, 1, wrong));
    }
    assertTrue(rows[0].isUsable(), "a wrong index is no fault of the GPU");
  }

  @Test
  void aReaderWithoutAGpuGetsThemByBlockTransfer(Random random) throws IOException {
    Records expected = write(1, 1, 4_000, 100, random);
    Records hostOnly = write(0, 2, 100, 100, random, true);
    List<LocalSource> sources = List.of(local(1, 1), local(0, 2));
    RowReadPlan plan =
        planner(0, Optional.empty(), 0, PARTITIONS).plan(of(sources), blocks(sources));
    assertEquals(List.of(), plan.device());
    assertEquals(List.of(local(0, 2)), plan.host());
    assertEquals(Set.of(1L), plan.remoteSources().keySet());
    assertEquals(1, plan.remote().size());
    TransferCursor cursor =
        new TransferCursor(
            CollectionConverters.asScala(
                List.of(new Tuple2<BlockId, InputStream>(batch(1), served(1, 1))).iterator()),
            plan.remoteSources(),
            true,
            stats,
            failures(stats));
    drain(cursor).assertSameAs(expected);
    drain(hostCursor(0, plan)).assertSameAs(hostOnly);
  }

  @Test
  void withoutTheWayToGpusARunThereFailsTheFetch(Random random) throws IOException {
    write(1, 1, 100, 100, random);
    HostCursor cursor =
        hostCursor(0, new RowReadPlan(List.of(local(1, 1)), List.of(), List.of(), Map.of()));
    assertEquals(
        "run 0 lies in GPU memory, which is not read here",
        assertFetchFails(source(1, 1), () -> drain(cursor)).replaceFirst(".*(run 0 lies)", "$1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream_rc=719", "stream_rc=600"})
  void aGpuThatFailsAWriterFailsTheTaskAndIsGivenUp(String fault, Random random)
      throws IOException {
    RowWriterAccess writer = writer(1, 1, PARTITIONS);
    FakeLibraries.script(folder.resolve("cuda-1"), fault);
    String message =
        assertThrows(
                IOException.class,
                () -> {
                  while (true) {
                    writer.append(random.nextInt(PARTITIONS), new byte[random.nextInt(100)]);
                  }
                })
            .getMessage();
    assertTrue(message.startsWith("the GPU did not make a run of shuffle data: "), message);
    writer.abort();
    assertFalse(rows[1].isUsable());
    assertTrue(
        tiers[1].slabs().stats().usedBytes() > 0, "the GPU may still write into these slabs");
    assertEquals(0, owners[1].used());
    FakeLibraries.script(folder.resolve("cuda-1"));
    MapOutputSink sink = owners[1].store.create(id(2), PARTITIONS);
    assertEquals(Optional.empty(), RowWriterAccess.open(rows[1], sink, PARTITIONS, true, stats));
    sink.abort();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream_rc=719", "stream_rc=600"})
  void aGpuThatFailsAReaderFailsTheFetchAndIsGivenUp(String fault, Random random)
      throws IOException {
    write(1, 1, 1_000, 100, random);
    write(0, 2, 1_000, 100, random);
    DeviceCursor cursor = cursor(0, plan(0, 0, PARTITIONS, List.of(local(1, 1))));
    FakeLibraries.script(folder.resolve("cuda-0"), fault);
    String found = assertFetchFails(source(1, 1), cursor::advance);
    assertTrue(found.startsWith("the GPU did not fetch its blocks: "), found);
    cursor.close();
    assertFalse(rows[0].isUsable());
    FakeLibraries.script(folder.resolve("cuda-0"));
    // From then on everything comes by block transfer, but for what nobody can send.
    assertEquals(Set.of(1L), plan(0, 0, PARTITIONS, List.of(local(1, 1))).remoteSources().keySet());
    assertFetchFails(source(0, 2), () -> plan(0, 0, PARTITIONS, List.of(local(0, 2))));
  }

  @Test
  void withoutMemoryForAFerryTheHostHeapServes() {
    DeviceRows greedy = new DeviceRows(tiers[1], 1 << 30, GPU_LIMIT);
    MapOutputSink sink = owners[1].store.create(id(1), PARTITIONS);
    assertEquals(Optional.empty(), RowWriterAccess.open(greedy, sink, PARTITIONS, true, stats));
    assertTrue(greedy.isUsable());
    assertEquals(0, greedy.ferriesInUse());
    sink.abort();
  }

  @Test
  void checksumsMayBeOff(Random random) throws IOException {
    MapOutputSink sink = owners[1].store.create(id(1), PARTITIONS);
    RowWriterAccess writer =
        RowWriterAccess.open(rows[1], sink, PARTITIONS, false, stats).orElseThrow();
    writer.append(3, new byte[] {1, 2, 3});
    writer.commit();
    Records.read(find(1, 1).orElseThrow(), false, run -> copyOut(1, run));
    DeviceCursor cursor =
        new DeviceCursor(
            rows[0],
            plan(0, 0, PARTITIONS, List.of(local(1, 1))).device(),
            new DeviceCursor.Limits(0, false),
            new Metrics(),
            stats,
            failures(stats));
    assertEquals(1, drain(cursor).size());
    cursor.close();
  }

  /** Counts what Spark's fetcher does not: blocks of other PEs' GPUs. */
  private static final class Metrics extends FakeMetrics {
    private long remoteBlocks;
    private long remoteBytes;

    @Override
    public void incRemoteBlocksFetched(long blocks) {
      remoteBlocks += blocks;
    }

    @Override
    public void incRemoteBytesRead(long bytes) {
      remoteBytes += bytes;
    }

    @Override
    public void incFetchWaitTime(long millis) {
      assertTrue(millis >= 0);
    }

    void assertEqual(ShuffleStats stats, long pulledBefore) {
      assertEquals(stats.pulledBytes() - pulledBefore, remoteBytes);
      assertEquals(remoteBytes > 0, remoteBlocks > 0);
    }
  }

  private Records write(int pe, int map, int count, int mostBytes, Random random)
      throws IOException {
    return write(pe, map, count, mostBytes, random, false);
  }

  private Records write(int pe, int map, int count, int mostBytes, Random random, boolean host)
      throws IOException {
    Records records = Records.random(random, count, PARTITIONS, mostBytes);
    if (host) {
      owners[pe].publish(id(map), List.of(records), List.of(Tier.HOST));
      return records;
    }
    RowWriterAccess writer = writer(pe, map, PARTITIONS);
    for (int round = 0, left = count; left > 0; round++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        if (round < records.of(partition).size()) {
          writer.append(partition, records.of(partition).get(round));
          left--;
        }
      }
    }
    writer.commit();
    return records;
  }

  private RowWriterAccess writer(int pe, int map, int partitions) {
    MapOutputSink sink = owners[pe].store.create(id(map), partitions);
    return RowWriterAccess.open(rows[pe], sink, partitions, true, stats).orElseThrow();
  }

  private List<Slab> takeAll(int pe) {
    List<Slab> taken = new ArrayList<>();
    for (long bytes : new long[] {64 << 10, 64}) {
      for (Optional<Slab> slab = tiers[pe].slabs().allocate(bytes);
          slab.isPresent();
          slab = tiers[pe].slabs().allocate(bytes)) {
        taken.add(slab.get());
      }
    }
    return taken;
  }

  /** Leaves room for a few runs. */
  private List<Slab> takeAllButABit(int pe) {
    List<Slab> taken = takeAll(pe);
    tiers[pe].slabs().free(taken.removeFirst());
    return taken;
  }

  private Optional<MapOutput> find(int owner, int map) throws IOException {
    return new MapOutputs(windows.heap(0)).find(owner, id(map));
  }

  private Set<Tier> tiersOf(int owner, int map) throws IOException {
    Set<Tier> found = new HashSet<>();
    MapOutput output = find(owner, map).orElseThrow();
    for (int r = 0; r < output.index().runs(); r++) {
      found.add(output.index().run(r).tier());
    }
    return found;
  }

  /** What a reduce task on a PE reads, by all ways. */
  private Records read(int reader, int start, int end, int owner, int map) {
    return read(reader, start, end, List.of(local(owner, map)));
  }

  private Records read(int reader, int start, int end, List<LocalSource> sources) {
    RowReadPlan plan = plan(reader, start, end, sources);
    assertEquals(Map.of(), plan.remoteSources());
    long pulled = stats.pulledBytes();
    Metrics metrics = new Metrics();
    DeviceCursor cursor =
        new DeviceCursor(
            rows[reader],
            plan.device(),
            new DeviceCursor.Limits(3 * FERRY_BYTES, true),
            metrics,
            stats,
            failures(stats));
    try {
      cursor.start();
      HostCursor host = hostCursor(reader, plan, start, end);
      host.leaveDeviceRuns();
      Records got = drain(new ChainedCursor(host, cursor));
      metrics.assertEqual(stats, pulled);
      return got;
    } finally {
      cursor.close();
      assertEquals(0, rows[reader].ferriesInUse());
    }
  }

  private DeviceCursor cursor(int reader, RowReadPlan plan) {
    DeviceCursor cursor =
        new DeviceCursor(
            rows[reader],
            plan.device(),
            new DeviceCursor.Limits(3 * FERRY_BYTES, true),
            new Metrics(),
            stats,
            failures(stats));
    cursor.start();
    return cursor;
  }

  private HostCursor hostCursor(int reader, RowReadPlan plan) {
    return hostCursor(reader, plan, 0, PARTITIONS);
  }

  private HostCursor hostCursor(int reader, RowReadPlan plan, int start, int end) {
    return new HostCursor(
        new MapOutputs(windows.heap(reader)),
        plan.host(),
        SHUFFLE,
        start,
        end,
        true,
        new FakeMetrics(),
        stats,
        failures(stats));
  }

  private RowReadPlan plan(int reader, int start, int end, List<LocalSource> sources) {
    return planner(reader, Optional.of(rows[reader]), start, end)
        .plan(of(sources), blocks(sources));
  }

  private RowReadPlan.Planner planner(int reader, Optional<DeviceRows> way, int start, int end) {
    return new RowReadPlan.Planner(
        new MapOutputs(windows.heap(reader)), way, reader, start, end, failures(stats));
  }

  private static ReadPlan of(List<LocalSource> sources) {
    return new ReadPlan(sources, new ArrayList<>(), new HashMap<>());
  }

  /** What the tracker would say of these. */
  private static Map<BlockManagerId, Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>>
      blocks(List<LocalSource> sources) {
    Map<BlockManagerId, Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks =
        new HashMap<>();
    for (LocalSource source : sources) {
      BlockManagerId address = source.map().address();
      List<Tuple3<BlockId, Object, Object>> ofAddress =
          List.of(new Tuple3<>(new ShuffleBlockId(SHUFFLE, source.map().mapId(), 0), 1L, 0));
      blocks.put(address, new Tuple2<>(address, CollectionConverters.asScala(ofAddress).toSeq()));
    }
    return blocks;
  }

  private static BlockId batch(int map) {
    return new ShuffleBlockBatchId(SHUFFLE, map, 0, PARTITIONS);
  }

  private InputStream served(int owner, int map) throws IOException {
    ServedBlock block =
        new ServedBlock(
            find(owner, map).orElseThrow(),
            Optional.of(tiers[owner]),
            0,
            PARTITIONS,
            () -> owners[owner].leases.acquire(SHUFFLE),
            stats);
    return block.createInputStream();
  }

  private ByteBuffer copyOut(int pe, RunView run) {
    return copyOut(pe, run.place(), (int) run.bytes());
  }

  private ByteBuffer copyOut(int pe, long place, int bytes) {
    ByteBuffer copy = ByteBuffer.allocateDirect(bytes);
    try (CudaStream stream = tiers[pe].context().newStream()) {
      stream.copyOut(MemorySegment.ofBuffer(copy), tiers[pe].window().slice(place, bytes));
      stream.synchronize();
    }
    return copy;
  }

  private void poke(int pe, long place, byte value) {
    try (CudaStream stream = tiers[pe].context().newStream();
        Arena arena = Arena.ofConfined()) {
      MemorySegment one = arena.allocate(1).fill(value);
      stream.copyIn(tiers[pe].window().slice(place, 1), one);
      stream.synchronize();
    }
  }

  private static byte[] copy(long address, int bytes) {
    byte[] copy = new byte[bytes];
    Platform.copyMemory(null, address, copy, Platform.BYTE_ARRAY_OFFSET, bytes);
    return copy;
  }

  /** The same records in each partition; those of different runs in any order. */
  private static void assertSameContent(Records expected, Records got) {
    assertEquals(expected.size(), got.size());
    for (int partition = 0; partition < 3_000; partition++) {
      assertEquals(sorted(expected.of(partition)), sorted(got.of(partition)));
    }
  }

  private static List<String> sorted(List<byte[]> records) {
    return records.stream().map(java.util.HexFormat.of()::formatHex).sorted().toList();
  }

  private static LocalSource local(int pe, int map) {
    return new LocalSource(source(pe, map), pe);
  }

  private static MapOutputId id(long map) {
    return new MapOutputId(SHUFFLE, map);
  }
}
