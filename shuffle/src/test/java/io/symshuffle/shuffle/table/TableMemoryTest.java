// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.spark.shuffle.FetchFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long memory with tables stays, and how much is read at a time. */
class TableMemoryTest extends TableRoundTrip {
  private static final Duration LIMIT = Duration.ofSeconds(60);

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

  /** A map output of PE 1 whose copies time out when the GPU is held back. */
  private TableWriterAccess impatientWriter() {
    return new TableWriterAccess(
        owners[1].store.buildTables(new MapOutputId(9, 1), PARTITIONS),
        ImpatientCopies.create(engines[1], tiers[1].kernels(), pools[1], IMPATIENT),
        Optional.of(tiers[1]),
        PARTITIONS,
        true,
        stats);
  }

  /** Tables of PE 1. */
  private SplitBatch tables() {
    List<FakeEngine.Table> tables = new ArrayList<>();
    for (int p = 0; p < PARTITIONS; p++) {
      tables.add(new FakeEngine.Table(p, randomBytes(1 + random.nextInt(20_000))));
    }
    return engines[1].batchOf(tables);
  }

  private void keepsPinnedMemoryThatTheGpuMayStillUse(int pe) {
    assertTrue(pools[pe].usedBytes() > 0, "pinned memory is given back too early");
    pools[pe] = new PinnedPool(tiers[pe].context(), PINNED_BYTES);
  }

  /** Leaves no room on PE 1 in the tiers before the HOST or the DISK tier. */
  private void sendTablesTo(Tier tier) {
    takeAll(tiers[1].slabs());
    if (tier == Tier.DISK) {
      takeAll(owners[1].slabs);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Tier.class,
      names = {"HOST", "DISK"})
  void failsTaskWhenTheGpuDoesNotFinishBeforeCopiesToOtherTiers(Tier tier) throws IOException {
    sendTablesTo(tier);
    TableWriterAccess late = impatientWriter();
    SplitBatch tables = tables();
    FakeLibraries.script(folder.resolve("cuda-1"), "hold");
    try (CudaEvent event = tiers[1].context().newUntimedEvent()) {
      // Work of the engine itself, which comes before the copies.
      engines[1].stream().record(event);
      IOException timeout =
          assertTimeout(LIMIT, () -> assertThrows(IOException.class, () -> late.add(tables)));
      assertTrue(timeout.getMessage().contains("took longer than 0.05 s"), timeout.getMessage());
      late.abort();
      FakeLibraries.script(folder.resolve("cuda-1"));
      engines[1].stream().synchronize();
    }
    assertEquals(0, engines[1].open(), "tables still open");
    keepsPinnedMemoryThatTheGpuMayStillUse(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Tier.class,
      names = {"HOST", "DISK"})
  void failsTaskWhenTheGpuDoesNotFinishBeforeCopiesFromOtherTiers(Tier tier) throws Exception {
    sendTablesTo(tier);
    List<Written> written = write(1, 3, 1, 2, 4_000);
    TableBatch batch = batch(0, 1, 3, 0, PARTITIONS);
    assertTrue(batch.sources().stream().allMatch(each -> each.table().tier() == tier));
    TableCopies copies =
        ImpatientCopies.create(engines[0], tiers[0].kernels(), pools[0], IMPATIENT);
    try (BatchAssembler late = assembler(0, TYPES, copies, true);
        CudaEvent event = tiers[0].context().newUntimedEvent()) {
      FakeLibraries.script(folder.resolve("cuda-0"), "hold");
      // Work of the engine itself, which comes before the copies.
      engines[0].stream().record(event);
      FetchFailedException timeout =
          assertTimeout(
              LIMIT, () -> assertThrows(FetchFailedException.class, () -> late.assemble(batch)));
      assertTrue(timeout.getMessage().contains("took longer than 0.05 s"), timeout.getMessage());
      FakeLibraries.script(folder.resolve("cuda-0"));
      engines[0].stream().synchronize();
      assembleInTime(late, batch);
    }
    assertSame(written, engines[0]);
  }

  /** Assembles a batch; copies that time out only because the machine is busy are repeated. */
  private static void assembleInTime(BatchAssembler assembler, TableBatch batch) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        assembler.assemble(batch);
        return;
      } catch (Exception e) { // Java does not know that Scala throws a FetchFailedException
        if (!(e instanceof FetchFailedException) || System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }

  @Test
  void doesNotReuseSlabThatTimedOutCopyMayStillWrite() throws Exception {
    // Another task has another thread and thus another stream, so the late copy runs after its map
    // output is written.
    Runnable late =
        () -> {
          TableWriterAccess writer = impatientWriter();
          SplitBatch tables = tables();
          FakeLibraries.script(folder.resolve("cuda-1"), "hold");
          IOException timeout = assertThrows(IOException.class, () -> writer.add(tables));
          assertTrue(timeout.getMessage().contains("took longer than 0.05 s"), timeout::toString);
          writer.abort();
        };
    try (ExecutorService task = Executors.newSingleThreadExecutor()) {
      task.submit(late).get();
      FakeLibraries.script(folder.resolve("cuda-1"));
      assertEquals(0, engines[1].open(), "tables still open");
      List<Written> written = write(1, 2, 1, 1, 20_000);
      task.submit(() -> engines[1].stream().synchronize()).get();
      assemble(0, batch(0, 1, 2, 0, PARTITIONS));
      assertSame(written, engines[0]);
    }
    keepsPinnedMemoryThatTheGpuMayStillUse(1);
  }

  @Test
  void freesSlabWhenLateCopyCompletesBeforeAbort() throws IOException {
    TableWriterAccess late = impatientWriter();
    SplitBatch tables = tables();
    FakeLibraries.script(folder.resolve("cuda-1"), "hold");
    assertThrows(IOException.class, () -> late.add(tables));
    FakeLibraries.script(folder.resolve("cuda-1"));
    engines[1].stream().synchronize();
    late.abort();
    assertEquals(0, tiers[1].slabs().stats().usedBytes());
  }

  @Test
  void keepsTablesThatAreStillCopiedAfterTheLimit() throws Exception {
    List<Written> written = write(0, 3, 1, 2, 4_000);
    Lease lease = owners[0].leases.acquire(9);
    TableBatch batch = batch(0, 0, 3, 0, PARTITIONS);
    TableCopies copies =
        ImpatientCopies.create(engines[0], tiers[0].kernels(), pools[0], IMPATIENT);
    try (BatchAssembler assembler = assembler(0, TYPES, copies, true)) {
      FakeLibraries.script(folder.resolve("cuda-0"), "hold");
      assertThrows(FetchFailedException.class, () -> assembler.assemble(batch));
      assertFalse(assembler.settle());
      owners[0].store.unregister(9);
      owners[0].store.reclaim();
      assertTrue(tiers[0].slabs().stats().usedBytes() > 0, "the tables are still being read");
      FakeLibraries.script(folder.resolve("cuda-0"));
      engines[0].stream().synchronize();
      assertTrue(assembler.settle());
      // As the engine's retry does.
      assembleInTime(assembler, batch);
      assertTrue(assembler.settle());
    }
    lease.close();
    owners[0].store.reclaim();
    assertEquals(0, tiers[0].slabs().stats().usedBytes());
    assertSame(written, engines[0]);
  }

  /** Own tables, and those of another PE: the engine reads only copies. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void doesNotWaitForTheAssembly(int owner) throws IOException {
    List<Written> written = write(owner, 3, 1, 2, 4_000);
    BatchAssembler assembler = assembler(0, TYPES);
    engines[0].beforeAssembly(() -> FakeLibraries.script(folder.resolve("cuda-0"), "hold"));
    assembler.assemble(batch(0, owner, 3, 0, PARTITIONS));
    assertTrue(assembler.settle());
    owners[owner].store.unregister(9);
    owners[owner].store.reclaim();
    assertEquals(0, tiers[owner].slabs().stats().usedBytes());
    FakeLibraries.script(folder.resolve("cuda-0"));
    assembler.close();
    assertSame(written, engines[0]);
  }

  @Test
  void failsWhenTheEngineSwitchesStreams() throws IOException {
    write(1, 3, 1, 2, 4_000);
    BatchAssembler assembler = assembler(0, TYPES);
    engines[0].switchStream();
    TableBatch batch = batch(0, 1, 3, 0, PARTITIONS);
    assertThrows(IllegalStateException.class, () -> assembler.assemble(batch));
    assertTrue(assembler.settle());
    assembler.close();
  }

  @Test
  void limitsBatchesByBytesAndRows() {
    List<TableRef> sources = new ArrayList<>();
    long[][] tables = {{10, 400}, {10, 500}, {10, 200}, {5, 5000}, {Integer.MAX_VALUE, 1}, {1, 1}};
    for (long[] table : tables) {
      sources.add(
          TableRef.fetched(
              source(1),
              new TableEntry(0, Tier.HOST, 0, table[1], table[0], 0),
              new FetchedTable(memory.allocate(0), 0, true)));
    }
    TableBatch.Cutter cutter = new TableBatch.Cutter(sources.iterator(), 1000, () -> false);
    List<Integer> sizes = new ArrayList<>();
    while (cutter.hasNext()) {
      sizes.add(cutter.next().sources().size());
    }
    assertEquals(List.of(2, 1, 1, 1, 1), sizes);
  }
}
