// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.serve.BlockServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that the GPU packs before they are stored, because the device heap fills up. */
class PackedStorageTest extends TableRoundTrip {
  private static final int NUMBERS = 3_000;

  /** Leaves less than half of the device heap, and nothing of the tiers before one. */
  private void fillUpTo(Tier tier) {
    while (!tiers[1].isFilling()) {
      assertTrue(tiers[1].slabs().allocate(64 << 10).isPresent());
    }
    if (tier != Tier.DEVICE) {
      takeAll(tiers[1].slabs());
    }
    if (tier == Tier.DISK) {
      takeAll(owners[1].slabs);
    }
  }

  private List<TableEntry> entries(int map) throws IOException {
    return batch(0, 1, map, 0, PARTITIONS).sources().stream().map(TableRef::table).toList();
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void tablesArePackedInEachTierWhenHalfOfTheDeviceHeapIsUsed(Tier tier) throws Exception {
    fillUpTo(tier);
    List<Written> written = writeNumbers(1, NUMBERS);
    for (TableEntry entry : entries(1)) {
      assertEquals(tier, entry.tier());
      assertTrue(entry.isPacked());
      assertTrue(entry.storedBytes() < entry.bytes() / 2, entry::toString);
      assertTrue(entry.packedChecksum() != 0 && entry.checksum() != 0, entry::toString);
    }
    assertEquals(bytesOf(written), stats.sum(ShuffleCounter.PACKED_BYTES));
    assertEquals(
        entries(1).stream().mapToLong(TableEntry::storedBytes).sum(),
        stats.sum(ShuffleCounter.PACKED_BYTES_STORED));
    for (int reader : new int[] {0, 1}) {
      assemble(reader, batch(reader, 1, 1, 0, PARTITIONS));
      assertSame(written, engines[reader]);
    }
    assertEquals(0, engines[0].open() + engines[1].open(), "buffers still open");
  }

  @Test
  void tablesStayAsTheyAreWhileHalfOfTheDeviceHeapIsFree() throws Exception {
    writeNumbers(1, NUMBERS);
    assertTrue(entries(1).stream().noneMatch(TableEntry::isPacked));
  }

  /** Random bytes do not shrink, so the batches after the first are not packed either. */
  @Test
  void tablesThatDoNotShrinkStayAsTheyAre() throws Exception {
    fillUpTo(Tier.HOST);
    TableWriterAccess writer = writer(1, 1);
    List<Written> written = fill(writer, 1, 1, 1, 1, 5_000);
    List<Written> numbers = writeNumbers(writer, 1, 1_000);
    assertTrue(entries(1).stream().noneMatch(TableEntry::isPacked));
    assertEquals(0, stats.sum(ShuffleCounter.PACKED_BYTES));
    assemble(0, batch(0, 1, 1, 0, PARTITIONS));
    written.addAll(numbers);
    assertSame(written, engines[0]);
  }

  /** Of the engine's memory, or of that for a launch. */
  @ParameterizedTest
  @ValueSource(
      strings = {"alloc_most=1000", "refuse_cuMemHostAlloc=1+", "refuse_cuMemHostAlloc=2+"})
  void tablesAreStoredAsTheyAreWithoutGpuMemoryToPackThem(String script) throws Exception {
    fillUpTo(Tier.HOST);
    pinAtMost(0);
    Path gpu = folder.resolve("cuda-1");
    List<Written> written = List.of(new Written(1, 2, new byte[50_000]));
    SplitBatch batch =
        engines[1].batchOf(List.of(new FakeEngine.Table(2, written.getFirst().data())));
    TableWriterAccess writer = writer(1, 1);
    FakeLibraries.script(gpu, script);
    writer.add(batch);
    FakeLibraries.script(gpu);
    writer.commit();
    assertEquals(List.of(Tier.HOST), tiersOf(1, 1));
    assertTrue(entries(1).stream().noneMatch(TableEntry::isPacked));
    assemble(0, batch(0, 1, 1, 0, PARTITIONS));
    assertSame(written, engines[0]);
    assertEquals(0, engines[0].open() + engines[1].open(), "buffers still open");
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void packedTablesAreSentAsTheyAreStored(Tier tier) throws Exception {
    fillUpTo(tier);
    List<Written> written = writeNumbers(1, NUMBERS);
    for (boolean packs : new boolean[] {true, false}) {
      for (boolean hasKernels : new boolean[] {true, false}) {
        BlockServer server = server(PINNED_BYTES, packs);
        byte[] wire;
        try (server) {
          wire = served(server, 1, 0, PARTITIONS);
        }
        assertTrue(wire.length < bytesOf(written) / 2, wire.length + " bytes");
        try (ColumnarBatch result = assemble(0, transferred(1, wire, hasKernels))) {
          assertEquals(written.size(), result.numRows());
          assertSame(written, engines[0]);
        }
      }
    }
  }

  /** Another executor's GPU could not be used, so this one has no kernels. */
  @Test
  void readerWithoutKernelsUnpacksOnItsCpu() throws Exception {
    fillUpTo(Tier.HOST);
    List<Written> written = writeNumbers(1, NUMBERS);
    TableCopies copies = new TableCopies(engines[0], Optional.empty(), Optional.of(pools[0]));
    try (BatchAssembler assembler = assembler(0, TYPES, copies, true)) {
      assembler.assemble(batch(0, 1, 1, 0, PARTITIONS));
    }
    assertSame(written, engines[0]);
  }

  @Test
  void packedTablesHaveNoChecksumsWithoutThem() throws Exception {
    fillUpTo(Tier.HOST);
    List<Written> written = writeNumbers(writer(1, 1, false), 1, NUMBERS);
    for (TableEntry entry : entries(1)) {
      assertTrue(entry.isPacked());
      assertEquals(0, entry.checksum());
    }
    try (BatchAssembler assembler = assembler(0, TYPES, false)) {
      assembler.assemble(batch(0, 1, 1, 0, PARTITIONS));
    }
    assertSame(written, engines[0]);
  }

  @Test
  void damageOfPackedTablesIsFound() throws Exception {
    fillUpTo(Tier.HOST);
    writeNumbers(1, NUMBERS);
    TableBatch batch = batch(0, 1, 1, 0, PARTITIONS);
    flipABitInTheHostHeap(batch);
    FetchFailedException failure =
        assertThrows(FetchFailedException.class, () -> assemble(0, batch));
    assertTrue(failure.getMessage().contains("checksum"), failure.getMessage());
    assertEquals(0, engines[0].open(), "buffers still open");
  }
}
