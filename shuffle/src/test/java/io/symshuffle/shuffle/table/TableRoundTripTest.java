// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.Symbol;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes packed tables on one PE and reads them on another. */
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
  void readsOwnTablesInPlace() throws IOException {
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

  @Test
  void writesToHostHeapWithoutDeviceHeap() throws IOException {
    TableWriterAccess writer =
        new TableWriterAccess(
            owners[1].store.buildTables(new MapOutputId(9, 4), PARTITIONS),
            engines[1],
            Optional.empty(),
            pools[1],
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
  void kernelAndEngineComputeTheSameRowChecksum() throws IOException {
    Written[] tables = {table(1, 7), table(2, 10, 20, 30), table(4, 40, -1)};
    long byKernel = rowChecksum(1, tables);
    assertEquals(0, engines[1].hashedByEngine());
    engines[1].refuseKernelForHashes();
    assertEquals(byKernel, rowChecksum(2, tables));
    assertEquals(1, engines[1].hashedByEngine());
  }

  /** RAPIDS' pool leaves little memory outside of it, and the kernel's lists can be long. */
  @Test
  void engineHashesRowsIfThereIsNoMemoryForTheKernelsLists() throws IOException {
    Written[] tables = new Written[100];
    Arrays.setAll(tables, partition -> table(partition, 7, partition));
    // Enough for the lists of the copy and its checksums, which are shorter.
    FakeLibraries.script(folder.resolve("cuda-1"), "alloc_most=4096");
    long byEngine = rowChecksum(writer(1, tables), tables);
    assertEquals(1, engines[1].hashedByEngine());
    FakeLibraries.script(folder.resolve("cuda-1"));
    assertEquals(byEngine, rowChecksum(writer(2, tables), tables));
    assertEquals(1, engines[1].hashedByEngine());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void tablesGoToTheHostHeapIfThereIsNoMemoryForTheNthLaunch(int refused) throws IOException {
    long used = tiers[1].slabs().stats().usedBytes();
    TableWriterAccess writer = writer(1, 6);
    List<Written> written = fill(writer, 1, 6, 1, 1, 20_000);
    FakeLibraries.script(folder.resolve("cuda-1"), "refuse_cuMemAlloc=" + refused + "+");
    writer.commit();
    FakeLibraries.script(folder.resolve("cuda-1"));
    if (refused < 3) {
      // The first launch hashes rows, which the engine can do, and the others copy and check.
      assertEquals(List.of(Tier.HOST), tiersOf(1, 6));
      assertEquals(used, tiers[1].slabs().stats().usedBytes(), "the slab is free again");
    }
    assemble(0, batch(0, 1, 6, 0, PARTITIONS));
    assertSame(written, engines[0]);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void tablesAreReadIfThereIsNoMemoryForTheNthLaunch(int refused) throws IOException {
    List<Written> written = write(1, 6, 1, 2, 20_000);
    assertEquals(List.of(Tier.DEVICE), tiersOf(1, 6));
    TableBatch batch = batch(0, 1, 6, 0, PARTITIONS);
    FakeLibraries.script(folder.resolve("cuda-0"), "refuse_cuMemHostAlloc=" + refused + "+");
    assemble(0, batch);
    FakeLibraries.script(folder.resolve("cuda-0"));
    assertSame(written, engines[0]);
  }

  /** PE 1 reads its tables in place, PE 0 pulls them. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void kernelConcatenatesTheTablesOfABatch(int reader) throws IOException {
    List<Written> written = write(1, 6, 1, 4, 3_000);
    engines[reader].concatenateWithKernel();
    assemble(reader, batch(reader, 1, 6, 0, PARTITIONS));
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    written.stream()
        .sorted(Comparator.comparingInt(Written::partition))
        .forEach(table -> expected.writeBytes(table.data()));
    assertEquals(1, engines[reader].unpackedData().size());
    assertArrayEquals(expected.toByteArray(), engines[reader].unpackedData().getFirst());
    assertEquals(0, engines[reader].open(), "buffers still open");
  }

  @Test
  void engineConcatenatesTablesIfThereIsNoMemoryForTheKernelsLists() throws IOException {
    List<Written> written = write(1, 6, 1, 25, 30);
    engines[1].concatenateWithKernel();
    TableBatch batch = batch(1, 1, 6, 0, PARTITIONS);
    // Enough for the lists of checksums, which are shorter, and for the tables.
    FakeLibraries.script(folder.resolve("cuda-1"), "alloc_most=4096");
    assemble(1, batch);
    FakeLibraries.script(folder.resolve("cuda-1"));
    assertSame(written, engines[1]);
    assertEquals(0, engines[1].open(), "buffers still open");
  }

  @Test
  void rowChecksumOfTheHostHeapIsThatOfTheDeviceHeap() throws IOException {
    long onDevice = rowChecksum(1, table(2, 10, 20, 30), table(4, 40));
    takeAll(tiers[1].slabs());
    assertEquals(onDevice, rowChecksum(2, table(2, 10, 20, 30), table(4, 40)));
    assertEquals(List.of(Tier.HOST), tiersOf(1, 2));
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
    return rowChecksum(writer(1, map), tables);
  }

  private TableWriterAccess writer(int map, Written[] tables) {
    return new TableWriterAccess(
        owners[1].store.buildTables(new MapOutputId(9, map), tables.length),
        engines[1],
        Optional.of(tiers[1]),
        pools[1],
        tables.length,
        true,
        stats);
  }

  private long rowChecksum(TableWriterAccess writer, Written... tables) throws IOException {
    for (Written each : tables) {
      writer.add(each.partition(), engines[1].table(each.data(), each.metadata(), each.rows()));
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

  /** Copies of 8 samples; 3 kernels, each with lists, results and an event; one wait. */
  @Test
  void gpuDoesTheSameNumberOfOperationsForAnyNumberOfTables() throws IOException {
    assertEquals(22, operationsOfMapOutput(1, 8));
    assertEquals(22, operationsOfMapOutput(2, 64));
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
    List<PackedTable> created = new ArrayList<>();
    for (int i = 0; i < tables; i++) {
      created.add(engines[1].table(new byte[300], new byte[40], 10));
    }
    int before = counts(1).streamOperations();
    for (int i = 0; i < tables; i++) {
      PackedTable table = created.get(i);
      writer.add(i, new PackedTable(table.rows(), table.data(), table.metadata(), () -> {}));
    }
    writer.commit();
    int operations = counts(1).streamOperations() - before;
    created.forEach(PackedTable::close);
    return operations;
  }
}
