// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.assertFetchFails;
import static io.symshuffle.shuffle.read.Reading.awaitCollected;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.source;
import static io.symshuffle.shuffle.read.Reading.task;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.host.WindowCopies;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SeededRandom.class)
class HostCursorTest {
  private static final long ARENA = 16 << 20;
  private static final int PARTITIONS = 40;

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private final List<Owner> owners = new ArrayList<>();
  private final ShuffleStats stats = new ShuffleStats();
  private final FakeMetrics metrics = new FakeMetrics();

  @BeforeEach
  void start() {
    owners.add(Owner.add(windows, ARENA, disk));
    owners.add(Owner.add(windows, ARENA, disk));
  }

  @Test
  void readsBlocksOfAllPesOfHost(Random random) throws IOException {
    long withData = 0;
    for (int round = 0; round < 20; round++) {
      List<LocalSource> sources = new ArrayList<>();
      Records all = new Records();
      int start = random.nextInt(PARTITIONS);
      int end = start + 1 + random.nextInt(PARTITIONS - start);
      for (int map = random.nextInt(6); map >= 0; map--) {
        int pe = random.nextInt(2);
        long mapId = round * 10L + map;
        Records one = publish(pe, mapId, random);
        withData += one.range(start, end).size() > 0 ? 1 : 0;
        all.addAll(one);
        sources.add(new LocalSource(source(pe, mapId), pe));
      }
      Records found = drain(cursor(sources, start, end, random.nextBoolean()));
      found.assertSameAs(all.range(start, end));
    }
    assertEquals(
        stats.sum(ShuffleCounter.HOST_BYTES_READ) + stats.sum(ShuffleCounter.DISK_BYTES_READ),
        metrics.localBytes);
    assertEquals(withData, metrics.localBlocks, "as Spark's batch fetch counts");
    assertTrue(
        stats.sum(ShuffleCounter.HOST_BYTES_READ) > 0
            && stats.sum(ShuffleCounter.DISK_BYTES_READ) > 0);
    assertEquals(0, stats.sum(ShuffleCounter.FETCH_FAILURES));
  }

  @Test
  void readsHostRunsInPlace(Random random) throws IOException {
    Records run = Records.random(random, 50, PARTITIONS, 100);
    owners.get(1).publish(id(1), List.of(run), List.of(Tier.HOST));
    HostCursor cursor = cursor(1, 1, true);
    long base = owners.get(1).window.address();
    while (cursor.advance()) {
      assertNull(cursor.object);
      assertTrue(cursor.position > base);
      assertTrue(cursor.limit <= base + owners.get(1).window.byteSize());
    }
  }

  @Test
  void copiesHostRunsWhereThatIsFasterThanToMapThem(Random random) throws IOException {
    List<LocalSource> sources = new ArrayList<>();
    Records all = new Records();
    for (int pe = 0; pe < 2; pe++) {
      Records run = Records.random(random, 50, PARTITIONS, 100);
      owners.get(pe).publish(id(pe), List.of(run), List.of(Tier.HOST));
      all.addAll(run);
      sources.add(new LocalSource(source(pe, pe), pe));
    }
    List<Integer> copied = new ArrayList<>();
    HostCursor cursor =
        copying(
            sources,
            (pe, offset, to) -> {
              copied.add(pe);
              to.copyFrom(owners.get(pe).window.asSlice(offset, to.byteSize()));
            });

    drain(cursor).assertSameAs(all);

    assertTrue(copied.contains(0) && copied.contains(1), "copied from " + copied);
  }

  @Test
  void aCopyStaysValidUntilTheCallerReadsTheBlockAfterTheNext(Random random) throws IOException {
    owners.get(1).publish(id(1), List.of(wide(random)), List.of(Tier.HOST));
    HostCursor cursor =
        copying(
            List.of(new LocalSource(source(1, 1), 1)),
            (pe, offset, to) -> to.copyFrom(owners.get(pe).window.asSlice(offset, to.byteSize())));
    byte[] before = new byte[0];
    long addressBefore = 0;
    int blocks = 0;
    while (cursor.advance()) {
      assertArrayEquals(before, bytes(addressBefore, before.length), "block " + (blocks - 1));
      addressBefore = cursor.position;
      before = bytes(addressBefore, Math.toIntExact(cursor.limit - cursor.position));
      blocks++;
    }
    assertEquals(PARTITIONS, blocks);
  }

  private static byte[] bytes(long address, int count) {
    byte[] bytes = new byte[count];
    Platform.copyMemory(null, address, bytes, Platform.BYTE_ARRAY_OFFSET, count);
    return bytes;
  }

  /** One record per partition, each longer than those before. */
  private static Records wide(Random random) {
    Records run = new Records();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      byte[] record = new byte[partition * 5_000 + 1];
      random.nextBytes(record);
      run.add(partition, record);
    }
    return run;
  }

  @Test
  void aCopyThatFailsIsAFetchFailure(Random random) throws IOException {
    owners.get(1).publish(id(1), List.of(wide(random)), List.of(Tier.HOST));
    MapSource source = source(1, 1);
    HostCursor cursor =
        copying(
            List.of(new LocalSource(source, 1)),
            (pe, offset, to) -> {
              throw new HeapException("the heap file of PE 1 was truncated");
            });
    assertEquals("the heap file of PE 1 was truncated", assertFetchFails(source, cursor::advance));
  }

  /** Reads windows. */
  private interface Reads {
    void read(int pe, long offset, MemorySegment to);
  }

  private HostCursor copying(List<LocalSource> sources, Reads reads) {
    WindowCopies copies =
        new WindowCopies() {
          @Override
          public void read(int pe, long offset, MemorySegment to) {
            reads.read(pe, offset, to);
          }

          @Override
          public void write(long offset, MemorySegment from) {
            throw new UnsupportedOperationException();
          }
        };
    return new HostCursor(
        task(
            new MapOutputs(windows.heap(0)),
            0,
            PARTITIONS,
            true,
            metrics,
            stats,
            Optional.of(copies)),
        sources);
  }

  @Test
  void skipsMapOutputWithoutRequestedPartitions(Random random) throws IOException {
    Records run = new Records();
    run.add(3, new byte[] {1});
    run.add(9, new byte[] {2});
    owners.getFirst().publish(id(1), List.of(run, run), List.of(Tier.HOST, Tier.DISK));
    Records other = Records.random(random, 20, PARTITIONS, 50);
    owners.get(1).publish(id(2), List.of(other), List.of(Tier.HOST));
    HostCursor cursor =
        cursor(
            List.of(new LocalSource(source(0, 1), 0), new LocalSource(source(1, 2), 1)),
            4,
            9,
            true);
    drain(cursor).assertSameAs(other.range(4, 9));
    assertFalse(cursor.advance());
  }

  /** Spark keeps the cursor until the task ends, which may read with many. */
  @Test
  void keepsNeitherSourcesNorTheLastBlockAtItsEnd(Random random) throws IOException {
    Records run = Records.random(random, 60, PARTITIONS, 60);
    owners.get(1).publish(id(1), List.of(run), List.of(Tier.DISK));
    List<LocalSource> sources = new ArrayList<>(List.of(new LocalSource(source(1, 1), 1)));
    HostCursor cursor = cursor(sources, 0, PARTITIONS, true);
    WeakReference<Object> block = null;
    while (cursor.advance()) {
      block = new WeakReference<>(cursor.object);
    }
    WeakReference<List<LocalSource>> list = new WeakReference<>(sources);
    sources = null;
    awaitCollected(list);
    awaitCollected(block);
    assertFalse(cursor.advance());
  }

  @Test
  void failsFetchOfMissingMapOutput(Random random) throws IOException {
    publish(0, 1, random);
    HostCursor cursor =
        cursor(
            List.of(new LocalSource(source(0, 1), 0), new LocalSource(source(1, 2), 1)),
            0,
            PARTITIONS,
            true);
    assertEquals(
        "it is not in the directory of PE 1", assertFetchFails(source(1, 2), () -> drain(cursor)));
    assertEquals(1, stats.sum(ShuffleCounter.FETCH_FAILURES));
    assertEquals(1, stats.sum(ShuffleCounter.FETCHES_MISSING));
  }

  @Test
  void interruptedTaskReportsNoLostMapOutput(Random random) throws IOException {
    Records run = Records.random(random, 60, PARTITIONS, 60);
    owners.get(1).publish(id(1), List.of(run), List.of(Tier.DISK));
    HostCursor cursor = cursor(1, 1, true);
    Thread.currentThread().interrupt();
    UncheckedIOException e;
    try {
      e = assertThrows(UncheckedIOException.class, cursor::advance);
    } finally {
      assertTrue(Thread.interrupted());
    }
    assertInstanceOf(ClosedByInterruptException.class, e.getCause());
    assertEquals(0, stats.sum(ShuffleCounter.FETCH_FAILURES));
  }

  @Test
  void failsFetchOnFlippedBitInMemory(Random random) throws IOException {
    Owner owner = owners.get(1);
    Records run = Records.random(random, 60, PARTITIONS, 60);
    owner.publish(id(1), List.of(run), List.of(Tier.HOST));
    long place =
        new MapOutputs(windows.heap(0)).find(1, id(1)).orElseThrow().rows().index().run(0).place();
    long bytes = 0;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bytes += run.bytes(partition);
    }
    for (int i = 0; i < 300; i++) {
      long at = place + random.nextLong(bytes);
      byte before = owner.window.get(ValueLayout.JAVA_BYTE, at);
      owner.window.set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ 1 << random.nextInt(8)));
      String found = assertFetchFails(source(1, 1), () -> drain(cursor(1, 1, true)));
      assertTrue(
          found.matches("block of partition \\d+ has checksum [0-9a-f]{8} instead of [0-9a-f]{8}"),
          found);
      owner.window.set(ValueLayout.JAVA_BYTE, at, before);
    }
    drain(cursor(1, 1, true)).assertSameAs(run);
    assertEquals(300, stats.sum(ShuffleCounter.FETCH_FAILURES));
    assertEquals(300, stats.sum(ShuffleCounter.FETCHES_DAMAGED));
  }

  /** Few bits of a packet's header make no difference to the rows. */
  @Test
  void failsFetchOnFlippedBitOnDisk(Random random) throws IOException {
    Records run = Records.random(random, 60, PARTITIONS, 60);
    owners.get(1).publish(id(1), List.of(run), List.of(Tier.DISK));
    Path file = owners.get(1).files().getFirst();
    byte[] good = Files.readAllBytes(file);
    int failures = 0;
    for (int i = 0; i < 100; i++) {
      byte[] bad = good.clone();
      bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, bad);
      Records found = null;
      try {
        found = drain(cursor(1, 1, true));
      } catch (Exception e) {
        assertInstanceOf(FetchFailedException.class, e);
        failures++;
      }
      if (found != null) {
        found.assertSameAs(run);
      }
    }
    assertTrue(failures > 80, failures + " of 100 were found");
    Files.write(file, good);
    drain(cursor(1, 1, true)).assertSameAs(run);
  }

  @Test
  void failsFetchOnTruncatedOrMissingFile(Random random) throws IOException {
    Records run = Records.random(random, 60, PARTITIONS, 60);
    owners.get(1).publish(id(1), List.of(run), List.of(Tier.DISK));
    Path file = owners.get(1).files().getFirst();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() - 1 - random.nextInt(8));
    }
    String found = assertFetchFails(source(1, 1), () -> drain(cursor(1, 1, true)));
    assertTrue(
        found.matches("cannot read a block of \\d+ bytes at \\d+ from " + file + ".*"), found);
    Files.delete(file);
    assertFetchFails(source(1, 1), () -> drain(cursor(1, 1, true)));
  }

  @Test
  void failsFetchOnDamagedDirectoryEntry(Random random) throws IOException {
    publish(1, 1, random);
    MapOutputs outputs = new MapOutputs(windows.heap(0));
    long entry = outputs.control(1).orElseThrow().find(id(1)).orElseThrow().offset();
    owners
        .get(1)
        .window
        .set(ValueLayout.JAVA_INT, entry + DirectoryEntryDescriptor.CRC_OFFSET, 1234);
    assertFetchFails(source(1, 1), () -> drain(cursor(1, 1, true)));
  }

  @Test
  void failsFetchOnDamagedIndex(Random random) throws IOException {
    publish(1, 1, random);
    MapOutputs outputs = new MapOutputs(windows.heap(0));
    long index = outputs.control(1).orElseThrow().find(id(1)).orElseThrow().place().offset();
    owners.get(1).window.set(ValueLayout.JAVA_INT, index + 4, 1234);
    assertFetchFails(source(1, 1), () -> drain(cursor(1, 1, true)));
  }

  @Test
  void failsFetchOnInvalidWindow(Random random) throws IOException {
    publish(1, 1, random);
    windows.damage(1);
    assertEquals(
        "the file of PE 1 is not a heap",
        assertFetchFails(source(1, 1), () -> drain(cursor(1, 1, true))));
  }

  @Test
  void failsFetchOnInvalidRuns() throws IOException {
    long huge = 3L << 30;
    BlockTable block =
        new BlockTable(1, new int[] {3}, new int[] {0, (int) (huge / 8)}, new int[] {0});
    // Larger than an array; smaller than an array, but larger than the file.
    for (long bytes : new long[] {huge, huge / 2}) {
      RowOutputBuilder sink = owners.get(1).store.buildRows(id(bytes), PARTITIONS);
      long position = sink.appendToFile(ByteBuffer.allocate(64));
      block.starts()[1] = (int) (bytes / 8);
      Owner.list(sink, Tier.DISK, position, bytes, block);
      sink.commit();
      assertFetchFails(source(1, bytes), () -> drain(cursor(1, bytes, true)));
    }
    // A block with a negative size.
    RowOutputBuilder sink = owners.get(1).store.buildRows(id(4), PARTITIONS);
    Owner.list(
        sink,
        Tier.DISK,
        sink.appendToFile(ByteBuffer.allocate(64)),
        64,
        new BlockTable(2, new int[] {3, 4}, new int[] {4, 2, 8}, new int[2]));
    sink.commit();
    assertFetchFails(source(1, 4), () -> drain(cursor(1, 4, true)));
  }

  private Records publish(int pe, long mapId, Random random) throws IOException {
    List<Records> runs = new ArrayList<>();
    List<Tier> tiers = new ArrayList<>();
    Records all = new Records();
    for (int r = random.nextInt(4); r >= 0; r--) {
      Records run = Records.random(random, 1 + random.nextInt(100), PARTITIONS, 200);
      runs.add(run);
      all.addAll(run);
      tiers.add(random.nextBoolean() ? Tier.HOST : Tier.DISK);
    }
    owners.get(pe).publish(id(mapId), runs, tiers);
    return all;
  }

  private HostCursor cursor(int pe, long mapId, boolean verify) {
    return cursor(List.of(new LocalSource(source(pe, mapId), pe)), 0, PARTITIONS, verify);
  }

  private HostCursor cursor(List<LocalSource> sources, int start, int end, boolean verify) {
    return new HostCursor(
        task(new MapOutputs(windows.heap(0)), start, end, verify, metrics, stats), sources);
  }

  private static MapOutputId id(long mapId) {
    return new MapOutputId(SHUFFLE, mapId);
  }
}
