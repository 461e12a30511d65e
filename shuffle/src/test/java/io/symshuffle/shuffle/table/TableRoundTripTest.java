// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.Symbol;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.read.LocalSource;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes tables on one PE and reads them on another. */
class TableRoundTripTest extends TableRoundTrip {
  @Test
  void pullsTablesOfAnotherPe() throws IOException {
    List<Written> written = write(1, 7, 3, 2, 9_000);
    assertEquals(List.of(Tier.DEVICE), tiersOf(1, 7));
    TableBatch batch = batch(0, 1, 7, 0, PARTITIONS);
    ColumnarBatch result = assemble(0, batch);
    assertEquals(written.size(), result.numRows());
    assertSame(written, engines[0]);
    assertEquals(0, engines[0].open(), "buffers still open");
    assertEquals(bytesOf(written), stats.sum(ShuffleCounter.PULLED_BYTES));
  }

  @Test
  void readsOwnTables() throws IOException {
    List<Written> written = write(0, 3, 1, 2, 4_000);
    assemble(0, batch(0, 0, 3, 0, PARTITIONS));
    assertSame(written, engines[0]);
    assertEquals(bytesOf(written), stats.sum(ShuffleCounter.DEVICE_BYTES_READ));
    assertEquals(0, stats.sum(ShuffleCounter.PULLED_BYTES));
  }

  @Test
  void readsOnlyRequestedPartitions() throws IOException {
    List<Written> written = write(1, 1, 1, 3, 2_000);
    TableBatch batch = batch(0, 1, 1, 2, 4);
    assemble(0, batch);
    assertSame(
        written.stream().filter(w -> w.partition() >= 2 && w.partition() < 4).toList(), engines[0]);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, PINNED_BYTES})
  void spillsFromDeviceToHostToDisk(long pinnedBytes) throws IOException {
    pinAtMost(pinnedBytes);
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
    assertTrue(
        stats.sum(ShuffleCounter.HOST_BYTES_WRITTEN) > 0, "nothing was written to the HOST tier");
    assertTrue(
        stats.sum(ShuffleCounter.DISK_BYTES_WRITTEN) > 0, "nothing was written to the DISK tier");
    for (int m = 1; m <= map; m++) {
      assemble(0, batch(0, 1, m, 0, PARTITIONS));
    }
    assertSame(written, engines[0]);
  }

  /** As in another pod, with another volume at the same path. */
  @Test
  void leavesTablesOnADiskThatIsNotVisibleToTheirOwner() throws IOException {
    takeAll(tiers[1].slabs());
    int map = 1;
    write(1, map, map, 1, 2_000);
    assertEquals(List.of(Tier.HOST), tiersOf(1, map));
    takeAll(owners[1].slabs);
    int onDisk = 2;
    write(1, onDisk, onDisk, 1, 2_000);
    assertEquals(List.of(Tier.DISK), tiersOf(1, onDisk));
    assertTrue(reads(map));
    assertTrue(reads(onDisk));

    Files.move(folder.resolve("disk1"), folder.resolve("elsewhere"));

    assertTrue(reads(map));
    assertFalse(reads(onDisk));
    // No table of it is read.
    assertTrue(tryAdd(map, PARTITIONS));
  }

  /** Whether PE 0 reads a map output of PE 1 in place. */
  private boolean reads(int map) {
    return tryAdd(map, 0);
  }

  private boolean tryAdd(int map, int startPartition) {
    return new InPlaceTables(task(0, startPartition, true), Optional.of(tiers[0]))
        .tryAdd(new LocalSource(source(map), 1));
  }

  /** Bytes go to disk in steps of 8 MiB, in which tables start and end anywhere. */
  @Test
  void tablesOfABatchAreWrittenToDiskTogether() throws IOException {
    takeAll(owners[1].slabs);
    int step = 8 << 20;
    int[] sizes = {step - 2 * FakeEngine.HEADER_BYTES, 1, step + 100, 17, step / 2 + 3};
    List<Written> written = new ArrayList<>();
    for (int p = 0; p < sizes.length; p++) {
      written.add(new Written(1, p, randomBytes(sizes[p])));
    }
    TableWriterAccess writer = writerWithoutDevice(1);
    writer.add(batchOf(written));
    writer.commit();
    assertEquals(List.of(Tier.DISK), tiersOf(1, 1));
    assemble(0, batch(0, 1, 1, 0, PARTITIONS));
    assertSame(written, engines[0]);
  }

  @Test
  void writesToHostHeapWithoutDeviceHeap() throws IOException {
    TableWriterAccess writer = writerWithoutDevice(4);
    List<Written> written = fill(writer, 1, 4, 1, 1, 3_000);
    writer.commit();
    assertEquals(List.of(Tier.HOST), tiersOf(1, 4));
    assemble(0, batch(0, 1, 4, 0, PARTITIONS));
    assertSame(written, engines[0]);
  }

  /** The store has device slabs; to a writer, a full device heap is like none. */
  private TableWriterAccess writerWithoutDevice(int map) {
    takeAll(tiers[1].slabs());
    return new TableWriterAccess(
        owners[1].store.buildTables(new MapOutputId(9, map), PARTITIONS),
        engines[1],
        Optional.empty(),
        pools[1],
        PARTITIONS,
        true,
        stats);
  }

  @Test
  void readsTableWithoutColumns() throws IOException {
    TableWriterAccess writer = writer(1, 2);
    writer.add(
        engines[1].batchOf(
            List.of(
                new FakeEngine.Table(1, new byte[0], 41),
                new FakeEngine.Table(3, new byte[0], 1))));
    long[] bytes = writer.commit();
    assertTrue(bytes[1] > 0 && bytes[3] > 0, "the tracker would omit these partitions");
    assertEquals(0, bytes[0]);
    TableBatch batch = batch(0, 1, 2, 0, PARTITIONS);
    BatchAssembler assembler = assembler(0, new DataType[0]);
    assertEquals(42, assembler.assemble(batch).numRows());
  }

  @Test
  void rowChecksumIsTheSameInAnyOrder() throws IOException {
    long whole = rowChecksum(1, table(2, 10, 20, 30), table(4, 40));
    assertAll(
        () -> assertEquals(whole, rowChecksum(2, table(2, 30, 10), table(2, 20), table(4, 40))),
        () -> assertEquals(whole, rowChecksum(7, table(4, 40), table(2, 30, 20, 10))),
        () -> assertNotEquals(whole, rowChecksum(3, table(2, 10, 20, 31), table(4, 40))),
        () -> assertNotEquals(whole, rowChecksum(4, table(2, 10, 20, 30, 30), table(4, 40))),
        () -> assertNotEquals(whole, rowChecksum(5, table(2, 10, 20, 40), table(4, 30))),
        () -> assertNotEquals(whole, rowChecksum(6, table(2, 10, 20, 30), table(3, 40))));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void tablesGoToTheHostHeapIfThereIsNoMemoryForTheNthLaunch(int refused) throws IOException {
    long used = tiers[1].slabs().stats().usedBytes();
    List<Written> written =
        List.of(new Written(6, 1, randomBytes(20_000)), new Written(6, 2, new byte[] {3}));
    TableWriterAccess writer = writer(1, 6);
    SplitBatch tables = batchOf(written);
    FakeLibraries.script(folder.resolve("cuda-1"), "refuse_cuMemAlloc=" + refused + "+");
    writer.add(tables);
    writer.commit();
    FakeLibraries.script(folder.resolve("cuda-1"));
    assertEquals(List.of(Tier.HOST), tiersOf(1, 6));
    assertEquals(used, tiers[1].slabs().stats().usedBytes(), "the slab is free again");
    assemble(0, batch(0, 1, 6, 0, PARTITIONS));
    assertSame(written, engines[0]);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void tablesAreReadIfThereIsNoMemoryForTheNthLaunch(int refused) throws IOException {
    List<Written> written = write(1, 6, 1, 2, 20_000);
    assertEquals(List.of(Tier.DEVICE), tiersOf(1, 6));
    TableBatch batch = batch(0, 1, 6, 0, PARTITIONS);
    FakeLibraries.script(folder.resolve("cuda-0"), "refuse_cuMemHostAlloc=" + refused + "+");
    assemble(0, batch);
    FakeLibraries.script(folder.resolve("cuda-0"));
    assertSame(written, engines[0]);
  }

  /** A table of which each byte is a row. */
  private static Written table(int partition, int... rows) {
    byte[] data = new byte[rows.length];
    for (int i = 0; i < rows.length; i++) {
      data[i] = (byte) rows[i];
    }
    return new Written(0, partition, data);
  }

  /** Tables of PE 1. */
  private SplitBatch batchOf(List<Written> tables) {
    return engines[1].batchOf(
        tables.stream().map(each -> new FakeEngine.Table(each.partition(), each.data())).toList());
  }

  /** The first table is a batch, the others are the next one. */
  private long rowChecksum(int map, Written... tables) throws IOException {
    TableWriterAccess writer = writer(1, map);
    List<Written> all = List.of(tables);
    writer.add(batchOf(all.subList(0, 1)));
    if (all.size() > 1) {
      writer.add(batchOf(all.subList(1, all.size())));
    }
    writer.commit();
    return writer.rowChecksum();
  }

  /** A function of the fake driver. */
  public interface Counts {
    /** Returns how many operations were queued on streams. */
    @Symbol("fake_stream_operations")
    int streamOperations();
  }

  private Counts counts(int pe) {
    Path library = folder.resolve("cuda-" + pe).resolve("libcuda.so.1");
    return NativeInterface.bind(NativeLibrary.open(List.of(library.toString())), Counts.class)
        .calls();
  }

  /** Copies of 8 samples; 2 kernels, each with lists, results and an event; one wait. */
  @Test
  void gpuDoesTheSameNumberOfOperationsForAnyNumberOfTables() throws IOException {
    assertEquals(17, operationsOfMapOutput(1, 8));
    assertEquals(17, operationsOfMapOutput(2, 64));
  }

  private int operationsOfMapOutput(int map, int tables) throws IOException {
    TableWriterAccess writer =
        new TableWriterAccess(
            owners[1].store.buildTables(new MapOutputId(9, map), tables),
            engines[1],
            Optional.of(tiers[1]),
            pools[1],
            tables,
            true,
            stats);
    SplitBatch batch =
        batchOf(
            IntStream.range(0, tables).mapToObj(i -> new Written(map, i, new byte[300])).toList());
    int before = counts(1).streamOperations();
    // The engine frees it later.
    writer.add(new SplitBatch(batch.tables(), batch.data(), batch.rowHash(), () -> {}));
    writer.commit();
    int operations = counts(1).streamOperations() - before;
    batch.close();
    return operations;
  }
}
